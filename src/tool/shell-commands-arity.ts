import type { Word } from './shell-commands-words.ts'

/** How many words of a command say what it does, where it is more than one: `git commit`, `npm run build`. The longest entry that fits counts. */
const arity: Readonly<Record<string, number>> = {
  apt: 2,
  'apt-get': 2,
  aws: 3,
  az: 3,
  brew: 2,
  bun: 2,
  'bun run': 3,
  bundle: 2,
  'bundle exec': 3,
  cargo: 2,
  composer: 2,
  corepack: 2,
  deno: 2,
  'deno task': 3,
  docker: 2,
  'docker compose': 3,
  'docker container': 3,
  'docker image': 3,
  'docker network': 3,
  'docker volume': 3,
  dotnet: 2,
  gcloud: 3,
  gh: 3,
  git: 2,
  'git config': 3,
  'git remote': 3,
  'git stash': 3,
  go: 2,
  'go mod': 3,
  helm: 2,
  kubectl: 2,
  make: 2,
  npm: 2,
  'npm run': 3,
  npx: 2,
  pip: 2,
  pip3: 2,
  pipenv: 2,
  pnpm: 2,
  'pnpm exec': 3,
  'pnpm run': 3,
  poetry: 2,
  'poetry run': 3,
  rake: 2,
  rustup: 2,
  systemctl: 2,
  terraform: 2,
  uv: 2,
  'uv pip': 3,
  'uv run': 3,
  yarn: 2,
  'yarn run': 3,
}

/** The pattern that covers a command and its like: `git commit *` for `git commit -m x`. */
export function prefixPattern(words: readonly Word[]): string {
  const texts = words.map(({ text }) => text)
  for (let count = Math.min(2, texts.length); count > 0; count -= 1) {
    const key = texts.slice(0, count).join(' ')
    if (Object.hasOwn(arity, key)) return `${texts.slice(0, arity[key]).join(' ')} *`
  }
  return `${texts[0] ?? ''} *`
}
