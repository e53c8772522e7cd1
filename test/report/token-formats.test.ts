import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRedactor } from '../../src/report/redact.ts'
import { tokenFormats } from '../../src/report/token-formats.ts'

/** Letters and digits of both cases, as many as are wanted; put together here, so that no scanner takes this file for a leak. */
const mixed = (length: number): string => 'aB3dE5gH7jK9mN1pQ2sT4uV6xY8zA0cD'.repeat(6).slice(0, length)
const hex = (length: number): string => '0a1b2c3d4e5f60718293a4b5c6d7e8f9'.repeat(8).slice(0, length)
const capitals = (length: number): string => 'A1B2C3D4E5F6G7H8'.repeat(5).slice(0, length)
const lower = (length: number): string => 'a1b2c3d4e5f6g7h8i9'.repeat(6).slice(0, length)
const letters = (length: number): string => 'aBcDeFgHiJkLmNoPqRsTuVwXyZ'.repeat(4).slice(0, length)
const glued = (...parts: string[]): string => parts.join('')

/** A secret of each kind, with what tells that it is one. */
const samples: readonly (readonly [kind: string, before: string, secret: string, after?: string])[] = [
  ['private key', '', `-----BEGIN EC PRIVATE KEY-----\n${mixed(64)}\n${mixed(20)}==\n-----END EC PRIVATE KEY-----`],
  ['private key', '', `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${mixed(64)}\n-----END PGP PRIVATE KEY BLOCK-----`],
  ['private key', '"private_key": "', `-----BEGIN PRIVATE KEY-----\\n${mixed(64)}\\n-----END PRIVATE KEY-----`, '\\n"'],
  ['private key', '1: ', `-----BEGIN EC PRIVATE KEY-----\n2: ${mixed(64)}\n3: -----END EC PRIVATE KEY-----`],
  ['JSON web token', 'ACTIONS_RUNTIME_TOKEN=', `eyJ${mixed(20)}.eyJ${mixed(40)}.${mixed(43)}`],
  ['GitHub token', '', glued('ghp', '_', mixed(36))],
  ['GitHub token', '', glued('ghs', '_', '123456', '_eyJ', mixed(30), '-x.', mixed(40), '.', mixed(40))],
  ['GitHub token', 'https://x-access-token:', glued('ghu', '_', mixed(36)), '@github.test/o/r'],
  ['GitHub fine-grained token', '', glued('github', '_pat_', mixed(22), '_', mixed(59))],
  ['GitHub installation token', '', glued('v1', '.', hex(40))],
  ['GitLab token', '', glued('glpat', '-', mixed(20))],
  ['GitLab token', '', glued('glrt', '-', mixed(20))],
  ['GitLab token', '', glued('GR1348941', mixed(20))],
  ['Atlassian token', '', glued('ATATT3', mixed(100), '=', capitals(8))],
  ['Atlassian token', '', glued('ATBB', mixed(32))],
  ['npm token', '', glued('npm', '_', mixed(36))],
  ['npm credential', '//registry.npmjs.test/:_authToken=', glued(hex(8), '-', hex(4), '-', hex(12))],
  ['PyPI token', '', glued('pypi', '-AgE', mixed(80))],
  ['RubyGems key', '', glued('rubygems', '_', hex(48))],
  ['NuGet key', '', glued('oy2', lower(43))],
  ['crates.io token', '', glued('cio', mixed(32))],
  ['Docker token', '', glued('dckr', '_pat_', mixed(27))],
  ['CircleCI token', '', glued('CCIPAT', '_', mixed(22), '_', hex(40))],
  ['Buildkite token', '', glued('bkua', '_', hex(40))],
  ['Terraform Cloud token', '', glued(mixed(14), '.atlasv1.', mixed(67))],
  ['Sentry token', '', glued('sntrys', '_', mixed(60))],
  ['AWS secret key', 'AWS_SECRET_ACCESS_KEY=', mixed(40)],
  ['AWS secret key', '"SecretAccessKey": "', `${mixed(38)}/+`, '"'],
  ['AWS secret key', '{\\"secretAccessKey\\":\\"', mixed(40), '\\"}'],
  ['AWS session token', 'aws_session_token = ', `${mixed(150)}==`],
  ['AWS key id', '', glued('AKIA', capitals(16))],
  ['Amazon Bedrock key', '', glued('ABSK', mixed(120), '=')],
  ['AWS signature', 'https://b.s3.amazonaws.test/k?X-Amz-Signature=', hex(64)],
  ['Google API key', '', glued('AIza', mixed(35))],
  ['Google OAuth token', '', glued('ya29', '.a0', mixed(60))],
  ['Google refresh token', '', glued('1//0', mixed(50))],
  ['Google client secret', '', glued('GOCSPX', '-', mixed(28))],
  ['Google key id', '"private_key_id": "', hex(40), '"'],
  ['Azure storage key', 'AccountName=x;AccountKey=', `${mixed(86)}==`, ';EndpointSuffix=core'],
  ['Azure storage key', 'Endpoint=sb://x/;SharedAccessKey=', `${mixed(43)}=`],
  ['Azure key', '', glued(mixed(76), '+ASt', mixed(5), 'A==')],
  ['Azure key', '', glued(mixed(33), 'AIoT', 'A', mixed(5), '=')],
  ['Azure key', '', glued(mixed(42), 'AzSe', 'A', mixed(5))],
  ['Azure key', '', glued(mixed(52), 'JQQJ9', '9', mixed(26))],
  ['Azure signature', 'https://x.blob.core.test/c?se=2027&sig=', `${mixed(41)}%2B%3D`],
  ['Azure client secret', '', glued('abc', '8', 'Q~', mixed(34))],
  ['DigitalOcean token', '', glued('dop', '_v1_', hex(64))],
  ['Cloudflare token', '', glued('cfut', '_', mixed(40), hex(8))],
  ['Vercel token', '', glued('vcp', '_', mixed(24))],
  ['Netlify token', '', glued('nfp', '_', mixed(36))],
  ['Heroku key', '', glued('HRKU', '-AA', mixed(58))],
  ['Fly.io token', 'FlyV1 ', glued('fm2', '_', mixed(80))],
  ['Tailscale key', '', glued('tskey', '-auth-', mixed(17), '-', mixed(32))],
  ['Databricks token', '', glued('dapi', hex(32), '-2')],
  ['Supabase key', '', glued('sbp', '_', hex(40))],
  ['Supabase key', '', glued('sb', '_secret_', mixed(31))],
  ['PlanetScale token', '', glued('pscale', '_tkn_', mixed(43))],
  ['Vault token', '', glued('hvs', '.', mixed(95))],
  ['Doppler token', '', glued('dp', '.st.prd.', mixed(43))],
  ['1Password token', '', glued('ops', '_eyJ', mixed(120))],
  ['age key', '', glued('AGE-SECRET-KEY', '-1', capitals(58))],
  ['Grafana token', '', glued('glsa', '_', mixed(32), '_', hex(8))],
  ['New Relic key', '', glued('NRAK', '-', capitals(27))],
  ['Anthropic key', '', glued('sk-ant', '-api03-', mixed(93), 'AA')],
  ['OpenRouter key', '', glued('sk-or', '-v1-', hex(64))],
  ['OpenAI key', '', glued('sk-proj', '-', mixed(60), '-', mixed(20))],
  ['OpenAI key', '', glued('sk-svcacct', '-', mixed(60))],
  ['API key', '', glued('sk', '-', mixed(48))],
  ['API key', '', glued('sk', '-', hex(32))],
  ['API key', '', glued('sk', '-kimi-', lower(40))],
  ['Groq key', '', glued('gsk', '_', mixed(52))],
  ['xAI key', '', glued('xai', '-', mixed(80))],
  ['Hugging Face token', '', glued('hf', '_', letters(34))],
  ['Replicate token', '', glued('r8', '_', mixed(37))],
  ['Perplexity key', '', glued('pplx', '-', mixed(48))],
  ['NVIDIA key', '', glued('nvapi', '-', mixed(64))],
  ['Cerebras key', '', glued('csk', '-', lower(48))],
  ['Pinecone key', '', glued('pcsk', '_', mixed(6), '_', mixed(60))],
  ['Tavily key', '', glued('tvly', '-dev-', mixed(32))],
  ['LangSmith key', '', glued('lsv2', '_pt_', hex(32), '_', hex(10))],
  ['Slack token', '', glued('xoxb', '-', '123456789012', '-', mixed(24))],
  ['Slack token', '', glued('xapp', '-1-', capitals(11), '-', mixed(40))],
  ['Slack webhook', 'https://hooks.slack.com/services/', glued('T', capitals(9), '/B', capitals(9), '/', mixed(24))],
  ['Discord token', '', glued('M', mixed(25), '.', 'Gx1_yZ', '.', mixed(38))],
  ['Discord webhook', 'https://discord.com/api/webhooks/1234567890/', mixed(68)],
  ['Telegram token', '', glued('1234567890', ':AA', mixed(33))],
  ['Twilio key', '', glued('SK', hex(32))],
  ['SendGrid key', '', glued('SG', '.', mixed(22), '.', mixed(43))],
  ['Mailgun key', '', glued('key', '-', hex(32))],
  ['Mailchimp key', '', glued(hex(32), '-us', '12')],
  ['Stripe key', '', glued('sk', '_live_', mixed(24))],
  ['Stripe key', '', glued('rk', '_test_', mixed(99))],
  ['Stripe key', '', glued('whsec', '_', mixed(32))],
  ['Shopify token', '', glued('shpat', '_', hex(32))],
  ['Linear key', '', glued('lin', '_api_', mixed(40))],
  ['Notion token', '', glued('ntn', '_', '12345678901', mixed(35))],
  ['Airtable token', '', glued('pat', mixed(14), '.', hex(64))],
  ['Figma token', '', glued('figd', '_', mixed(40))],
  ['PostHog key', '', glued('phx', '_', mixed(43))],
  ['authorization header', 'Authorization: Bearer ', 'opaque.0123456789'],
  ['authorization header', '"authorization": "token ', 'abcdef123456', '"'],
  ['authorization header', 'Authorization: Basic ', 'dXNlcjpwYXNzd29yZA=='],
  ['bearer token', 'curl -H "X: bearer ', mixed(30), '"'],
  ['API key header', 'x-api-key: ', mixed(32)],
  ['password in an address', 'postgres://admin:', 'Tr0ub4dor-3', '@db.example.test:5432/app'],
  ['password in an address', 'https://user:', 'correcthorsebattery', '@example.test/x'],
  ['password of a connection', 'Server=db;User Id=sa;Password=', 'Tr0ub4dor&3', ';Encrypt=true'],
]

test.each(samples)('C140 %s: only the secret is taken out of a text, which says what it was', (kind, before, secret, after = '') => {
  for (const [left, right] of [
    ['', ''],
    ['x "', '" y'],
    ['line\\n', '\\nline'],
    ['\u001b[32m', '\u001b[0m'],
    ['(', ')'],
  ] as const) {
    const redactor = createRedactor([])
    expect(redactor.redact(left + before + secret + after + right)).toBe(`${left}${before}[redacted]${after}${right}`)
    expect(redactor.redactions()).toEqual([{ kind, count: 1 }])
  }
})

test('an AWS secret beside its id goes with it', () => {
  expect(createRedactor([]).redact(`AKIA${capitals(16)},${mixed(40)}`)).toBe('[redacted],[redacted]')
})

test('every format has a sample', () => {
  const unproven = tokenFormats.filter(
    ({ form, kind }) => !samples.some(([name, before, secret, after = '']) => name === kind && (before + secret + after).search(form) >= 0),
  )
  // The one whose secret is known by its neighbour has a test of its own.
  expect(unproven.map(({ kind }) => kind)).toEqual(['AWS secret key'])
})

test.each([
  ['a commit', 'fixed in 4697449d0a651f0c8becd6e66b2dd17fedc16ca7'],
  ['hashes', `md5 ${hex(32)} sha256:${hex(64)} sha512 ${hex(128)}`],
  ['integrity of a lock file', `"integrity": "sha512-${mixed(86)}=="`],
  ['a uuid', 'id 123e4567-e89b-12d3-a456-426614174000'],
  ['a picture', `<img src="data:image/png;base64,iVBORw0KGgo${mixed(180)}${mixed(180)}==">`],
  ['styles', '.sk-circle-fade-dot-12 { animation: sk-cube-grid-delay 1.2s } .sk-folding-cube-item-number-3 {}'],
  ['a short web token', 'eyJ is how a JWT begins: eyJhbGciOi.eyJ.x'],
  ['prefixes', 'ghp_ and github_pat_ and sk-ant- and hf_ and npm_config_registry and xoxb- and glpat- are prefixes'],
  ['names', 'getAuthorizationHeader(request) npm_lifecycle_event hf_transformers_model_loader secret_key_base sk_test_mode'],
  ['placeholders', `Authorization: Bearer YOUR_API_KEY_HERE, Authorization: Bearer $\{TOKEN}, https://user:$\{PASSWORD}@host/x, AWS_SECRET_ACCESS_KEY=$SECRET`],
  ['the password of a test', 'postgres://postgres:postgres@db:5432/app and mysql://root:Passw0rd1@localhost/x'],
  ['addresses', 'http://localhost:8080/@scope/x https://registry.npmjs.org:443/@types%2fnode ssh://git@host:22/a file:///C:/x@1'],
  ['settings of npm', `_auth=$\{NPM_AUTH} //registry/:_authToken=$\{NPM_TOKEN}`],
  ['words', 'The bearer of bad news; a bearer token is sent. Basic Latin letters. api-key: see the documentation-of-the-service'],
  ['code', 'const NamesOfEverythingThatIs = Modules.helper.SomethingElseEntirelyHere; MyVeryLongClassNameIsHere2.method.anotherVeryLongPropertyName'],
  ['code about keys', `pem.replace('-----BEGIN PRIVATE KEY-----', '').replace('-----END PRIVATE KEY-----', '')`],
  ['a public key', `-----BEGIN PUBLIC KEY-----\n${mixed(64)}\n-----END PUBLIC KEY-----`],
  ['an ssh key', `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${mixed(43)} alice@host`],
])('%s: nothing is taken out', (_, text) => {
  expect(createRedactor([]).redact(text)).toBe(text)
})

/** Without those of the emulated GitHub, whose token looks like one on purpose. */
test('nothing in the sources and documents of this repository looks like a secret', () => {
  const root = join(import.meta.dirname, '../..')
  const files = ['src', 'docs', 'prompts', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|md|json)$/.test(file) && !/^local[/\\]/.test(file))
      .map((file) => join(folder, file)),
  )
  expect(files.length).toBeGreaterThan(200)
  const redactor = createRedactor([])
  for (const file of [...files, 'package-lock.json', 'README.md', 'action.yml']) redactor.redact(readFileSync(join(root, file), 'utf8'))
  expect(redactor.redactions()).toEqual([])
})
