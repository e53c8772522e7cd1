/** A kind of secret that is known by its look. */
export interface TokenFormat {
  /** Its name for people. */
  readonly kind: string
  /** One of these stands in every such secret or before it, so that most texts need no closer look; none where ordinary texts hold them too. For forms in any letter case: in small letters. */
  readonly hints: readonly string[]
  /** The secret; what the group `kept` matches before it is no part of it. Global; `i` where letter case does not matter. */
  readonly form: RegExp
}

/** Where a token may begin that ordinary words could end in: not inside a word, but after the `n` of an escaped line break or the end of a colour. */
const start = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrt]|\[[\d;]*m)`
/** A token that no letter or digit may follow. */
const end = '(?![A-Za-z0-9])'
/** From a setting's name to its value, in a shell, YAML, JSON or JSON in JSON. */
const is = String.raw`\\*["']?\s{0,4}(?:=>|[:=])\s{0,4}\\*["']?`

const token = (kind: string, hints: string | readonly string[], form: string): TokenFormat => ({
  kind,
  hints: typeof hints === 'string' ? [hints] : hints,
  form: new RegExp(start + form, 'g'),
})
const unbound = (kind: string, hints: string | readonly string[], form: string): TokenFormat => ({ ...token(kind, hints, form), form: new RegExp(form, 'g') })
const named = (kind: string, hints: string | readonly string[], before: string, value: string): TokenFormat => ({
  ...token(kind, hints, value),
  form: new RegExp(`(?<kept>${before})(?:${value})`, 'gi'),
})
const raw = String.raw

/**
 * The well-known ones, the special before the general. Sources: the documentation of the services, and what the rule sets of secretlint and
 * gitleaks agree on. (A linter's rules can't be used as they are: they want a whole, unbroken token, pass over examples, and heed
 * comments that switch them off.)
 */
export const tokenFormats: readonly TokenFormat[] = [
  // Code that only speaks of such lines has no long run of letters after them; what shows a file may put numbers before each line.
  unbound(
    'private key',
    'PRIVATE KEY',
    raw`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,400}?[A-Za-z0-9+/]{32})(?:[\s\S]{0,20000}?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[\w+/=\\\s]*)`,
  ),
  unbound('JSON web token', 'eyJ', raw`eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`),

  // Code and CI.
  unbound('GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], raw`gh[pousr]_(?:\d{1,20}_[\w-]{10,}|[A-Za-z0-9_]{20,})(?:\.[\w-]{10,})*`),
  unbound('GitHub fine-grained token', 'github_pat_', 'github_pat_[A-Za-z0-9_]{22,}'),
  token('GitHub installation token', 'v1.', raw`v1\.[0-9a-f]{40}${end}`),
  token(
    'GitLab token',
    ['glpat-', 'gldt-', 'glcbt-', 'glrt-', 'glrtr-', 'glptt-', 'glft-', 'glimt-', 'glagent-', 'glsoat-', 'gloas-', 'glffct-', 'glwt-', 'GR1348941'],
    raw`(?:gl(?:pat|dt|cbt|rt|rtr|ptt|ft|imt|agent|soat|oas|ffct|wt)-[\w-]{20,}|GR1348941[\w-]{20,})`,
  ),
  token('Atlassian token', ['ATATT3', 'ATCTT3', 'ATBB'], raw`(?:AT[AC]TT3[\w=-]{60,}|ATBB[A-Za-z0-9]{24,})`),
  token('npm token', 'npm_', 'npm_[A-Za-z0-9]{30,}'),
  named('npm credential', ['_authtoken', '_auth', '_password'], raw`_(?:authToken|auth|password)${is}`, raw`(?=[\w.~+/-]*\d)[\w.~+/-]{12,}={0,2}`),
  token('PyPI token', 'pypi-', raw`pypi-AgE[\w-]{30,}`),
  token('RubyGems key', 'rubygems_', 'rubygems_[0-9a-f]{40,}'),
  token('NuGet key', 'oy2', `oy2[a-z0-9]{43}${end}`),
  token('crates.io token', 'cio', `cio[A-Za-z0-9]{32}${end}`),
  token('Docker token', 'dckr_', raw`dckr_(?:pat|oat)_[\w-]{20,}`),
  token('CircleCI token', 'CCIPAT_', raw`CCIPAT_\w{20,}`),
  token('Buildkite token', 'bkua_', 'bkua_[0-9a-f]{40}'),
  token('Terraform Cloud token', '.atlasv1.', raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}`),
  token('Sentry token', ['sntrys_', 'sntryu_'], raw`sntry[su]_[\w+/=-]{40,}`),

  // Clouds.
  named(
    'AWS secret key',
    ['secret_access_key', 'secretaccesskey', 'secret_key', 'secretkey'],
    raw`secret_?(?:access_?)?key${is}`,
    '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])',
  ),
  named(
    'AWS session token',
    ['session_token', 'sessiontoken', 'security-token', 'security_token'],
    raw`(?:session_?token|security[_-]token)${is}`,
    '[A-Za-z0-9/+%]{80,}={0,2}',
  ),
  // Beside its id, as in the lists that the console hands out.
  { kind: 'AWS secret key', hints: ['AKIA', 'ASIA'], form: /(?<kept>(?:AKIA|ASIA)[0-9A-Z]{16}["']?[\s,;:|]{1,8}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/g },
  token('AWS key id', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], `(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Za-z])`),
  token('Amazon Bedrock key', ['ABSK', 'bedrock-api-key-'], '(?:ABSK[A-Za-z0-9+/]{60,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{20,})'),
  named('AWS signature', 'x-amz-signature', 'x-amz-signature=', '[0-9a-f]{64}'),
  token('Google API key', 'AIza', raw`AIza[\w-]{35,}`),
  token('Google OAuth token', 'ya29.', raw`ya29\.[\w-]{20,}`),
  token('Google refresh token', '1//0', raw`1//0[\w-]{30,}`),
  token('Google client secret', 'GOCSPX-', raw`GOCSPX-[\w-]{20,}`),
  named('Google key id', 'private_key_id', `private_key_id${is}`, '[0-9a-f]{40}'),
  named('Azure storage key', ['accountkey', 'sharedaccesskey'], raw`(?:Account|SharedAccess)Key=`, '[A-Za-z0-9+/]{40,}={0,2}'),
  unbound(
    'Azure key',
    ['AMC', 'ASt', 'ACDb', 'APIM', 'ABa', 'ASb', 'AEh', 'ARm', 'AIoT'],
    raw`[A-Za-z0-9+/]{76}(?:APIM|ACDb|\+(?:ABa|AMC|ASt))[A-Za-z0-9+/]{5}[AQgw]==|[A-Za-z0-9+/]{33}(?:AIoT|\+(?:ASb|AEh|ARm))[A-P][A-Za-z0-9+/]{5}=`,
  ),
  token(
    'Azure key',
    ['AzSe', 'AzFu', 'AzCa', '+ACR', 'JQQJ9'],
    raw`(?:[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}|[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{4,6}==|[A-Za-z0-9+/]{33}AzCa[A-P][A-Za-z0-9+/]{5}=|[A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9+/]{5}|[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{20,})`,
  ),
  named('Azure signature', 'sig=', raw`[?&;]sig=`, raw`[A-Za-z0-9%+/_-]{40,}={0,2}`),
  token('Azure client secret', 'Q~', raw`[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])`),
  token('DigitalOcean token', ['doo_v1_', 'dop_v1_', 'dor_v1_', 'dot_v1_'], 'do[oprt]_v1_[0-9a-f]{40,}'),
  token('Cloudflare token', ['cfk_', 'cfut_', 'cfat_', 'v1.0-'], raw`(?:cf(?:k|ut|at)_[A-Za-z0-9]{40,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,})`),
  token('Vercel token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], `vc[piark]_[A-Za-z0-9]{20,}`),
  token('Netlify token', 'nfp_', `nfp_[A-Za-z0-9]{36,}`),
  token('Heroku key', 'HRKU-', raw`HRKU-[\w-]{36,}`),
  token('Fly.io token', ['fm1_', 'fm2_'], raw`fm[12]_[A-Za-z0-9+/=_-]{60,}`),
  token('Tailscale key', 'tskey-', raw`tskey-[a-z]{2,20}-[\w-]{20,}`),
  token('Databricks token', 'dapi', raw`dapi[0-9a-f]{32}(?:-\d)?`),
  token('Supabase key', ['sbp_', 'sb_secret_'], raw`(?:sbp_(?:v0_)?[0-9a-f]{40}|sb_secret_[\w-]{20,})`),
  token('PlanetScale token', 'pscale_', raw`pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}`),
  token('Vault token', ['hvs.', 'hvb.', 'hvr.'], raw`hv[sbr]\.[\w-]{24,}`),
  token('Doppler token', 'dp.', raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}`),
  token('1Password token', 'ops_eyJ', raw`ops_eyJ[\w-]{60,}={0,2}`),
  token('age key', 'AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-1[0-9A-Z]{50,}'),
  token('Grafana token', ['glsa_', 'glc_'], raw`(?:glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})`),
  token('New Relic key', 'NRAK-', 'NRAK-[A-Z0-9]{27}'),

  // Models.
  unbound('Anthropic key', 'sk-ant-', raw`sk-ant-[\w-]{16,}`),
  token('OpenRouter key', 'sk-or-', raw`sk-or-[\w-]{20,}`),
  token('OpenAI key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], raw`sk-(?:proj|svcacct|admin)-[\w-]{20,}`),
  token('API key', 'sk-', raw`sk-(?:(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{20,}|(?:[a-z]{1,8}-)?(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}|lf-[0-9a-f-]{36})`),
  token('Groq key', 'gsk_', 'gsk_[A-Za-z0-9]{40,}'),
  token('xAI key', 'xai-', 'xai-[A-Za-z0-9]{60,}'),
  token('Hugging Face token', ['hf_', 'api_org_'], `(?:hf_|api_org_)[A-Za-z0-9]{30,}`),
  token('Replicate token', 'r8_', `r8_[A-Za-z0-9]{30,}`),
  token('Perplexity key', 'pplx-', 'pplx-[A-Za-z0-9]{32,}'),
  token('NVIDIA key', 'nvapi-', raw`nvapi-[\w-]{50,}`),
  token('Cerebras key', 'csk-', 'csk-[a-z0-9]{40,}'),
  token('Pinecone key', 'pcsk_', raw`pcsk_\w{40,}`),
  token('Tavily key', 'tvly-', raw`tvly-(?=[\w-]*\d)[\w-]{24,}`),
  token('LangSmith key', 'lsv2_', raw`lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,}`),

  // Messages, money and the rest.
  token('Slack token', ['xox', 'xapp-'], raw`(?:(?:xoxe\.)?xox[abeoprs]-[\w-]{10,}|xapp-\d-[\w-]{20,})`),
  named('Slack webhook', 'hooks.slack.com', raw`hooks\.slack\.com\/(?:services|workflows|triggers)\/`, raw`[\w/]{20,}`),
  token('Discord token', [], raw`[MNO][A-Za-z0-9]{23,27}\.(?=[\w-]*[\d_-])[\w-]{6}\.(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{27,}`),
  named('Discord webhook', '/webhooks/', raw`discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/`, raw`[\w-]{40,}`),
  token('Telegram token', ':AA', raw`\d{8,10}:AA[\w-]{32,}`),
  token('Twilio key', [], `SK[0-9a-f]{32}${end}`),
  token('SendGrid key', 'SG.', raw`SG\.[\w-]{16,}\.[\w-]{16,}`),
  token('Mailgun key', 'key-', `key-[0-9a-f]{32}${end}`),
  token('Mailchimp key', ['-us1', '-us2', '-us3', '-us4', '-us5', '-us6', '-us7', '-us8', '-us9'], raw`[0-9a-f]{32}-us\d{1,2}${end}`),
  token('Stripe key', ['_live_', '_test_', 'whsec_'], raw`(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{24,}={0,2})`),
  token('Shopify token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], 'shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}'),
  token('Linear key', 'lin_', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  token('Notion token', ['ntn_', 'secret_'], `(?:ntn_[0-9]{8,}[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{43}${end})`),
  token('Airtable token', [], raw`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`),
  token('Figma token', 'figd_', raw`figd_[\w-]{40,}`),
  token('PostHog key', 'phx_', raw`phx_[A-Za-z0-9_]{40,}`),

  // By where it stands.
  named('authorization header', 'authorization', raw`authorization${is}(?:bearer|token|apikey)\s+`, raw`(?=[\w.~+/-]*\d)[\w.~+/-]{8,}={0,2}`),
  {
    kind: 'authorization header',
    hints: ['asic '],
    form: /(?<kept>[Aa]uthorization\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?[Bb]asic\s+)(?=[A-Z0-9+/]*[a-z])(?=[a-z0-9+/]*[A-Z])[A-Za-z0-9+/]{8,}={0,2}/g,
  },
  named('bearer token', 'bearer ', raw`\bbearer\s+`, raw`(?=[\w.~+/-]*\d)[\w.~+/-]{20,}={0,2}`),
  named('API key header', 'api-key', raw`\b(?:x-)?api-key${is}`, raw`(?=[\w-]*\d)[\w-]{20,}`),
  named(
    'password in an address',
    [],
    raw`:\/\/[^\s/:@"'<>${'`'}]{0,100}:`,
    raw`(?:(?=[^\s/@]*\d)[^\s/@"'<>${'`'}$\{}*\\[\]]{6,200}|[^\s/@"'<>${'`'}$\{}*\\[\]]{12,200})(?=@(?!localhost\b|127\.|0\.0\.0\.0|\[::1\]|host\.docker\.internal\b))`,
  ),
  named('password of a connection', ['password=', 'pwd='], raw`\b(?:password|pwd)=`, raw`(?=[^;\s"']*\d)[^;\s"'$\{}<>\\[\]]{8,}(?=;)`),
]
