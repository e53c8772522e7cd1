/** How variables are called that hold a key: by the end of their names, as people and GitHub write them. */
const telling = /(?:^|[_-])(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD|PAT|CREDENTIALS?|AUTH|DSN)$/i
/** Of the runner: an address that carries a token. */
const named = new Set(['ACTIONS_ID_TOKEN_REQUEST_URL'])
const ordinary = /^(?:PWD|OLDPWD)$/

/**
 * The values of an environment that must never be shown, as far as their names tell: whatever key a job hands to its steps is masked, not only those
 * this action uses (C140). Paths, which such variables may hold as well, and short words are no secrets.
 */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (ordinary.test(name) || !(telling.test(name) || named.has(name))) return []
    return isPath(value) || !isTelling(value) ? [] : [value]
  })
}

const isPath = (value: string): boolean => /^(?:~|\.{0,2})\/[^\s=+]*$/.test(value) && value.split('/').length > 2

/** A word such as `main` or `production` is no secret, and would be blotted out everywhere. */
const isTelling = (value: string): boolean => value.length >= 16 || (value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value))
