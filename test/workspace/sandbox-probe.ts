import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from '../../src/workspace/sandbox.ts'
import { openShell } from '../../src/workspace/shell.ts'
import { wallsFor } from '../../src/workspace/walls.ts'

/**
 * A stand-in for the action: holds a secret in its environment and files with secrets around it, and lets commands look for them. Run as
 * `node sandbox-probe.ts FOLDER UID` with the commands as a JSON list in FOLDER/commands.json; prints what each command found as one line of JSON.
 */
const [base = '', uid = '0'] = process.argv.slice(2)
const commands: string[] = JSON.parse(readFileSync(join(base, 'commands.json'), 'utf8'))
const places = { root: join(base, 'work'), temp: join(base, 'temp'), outputs: join(base, 'temp', 'opencode', 'outputs'), assets: join(base, 'action', 'dist') }
const env = {
  HOME: join(base, 'home'),
  PATH: `${join(base, 'home', '.local', 'bin')}:${process.env.PATH ?? ''}`,
  GITHUB_ENV: join(base, 'commands', 'set_env'),
  GOOGLE_APPLICATION_CREDENTIALS: join(base, 'key.json'),
}

if (uid !== '0') {
  process.setgroups?.([])
  process.setgid?.(Number(uid))
  process.setuid?.(Number(uid))
}
for (const folder of [places.root, places.outputs, places.assets, env.HOME, join(base, 'commands'), join(places.temp, '_runner_file_commands')])
  mkdirSync(folder, { recursive: true })
const secret = 'SECRET-IN-A-FILE'
for (const file of [
  env.GITHUB_ENV,
  env.GOOGLE_APPLICATION_CREDENTIALS,
  join(places.root, 'gha-creds-1.json'),
  join(places.temp, '_runner_file_commands', 'set_env'),
])
  writeFileSync(file, secret)
writeFileSync(join(places.assets, 'index.js'), 'ours')
writeFileSync(join(places.root, 'file.txt'), 'work\n')

const sandbox = await openSandbox({
  mode: 'auto',
  walls: wallsFor({ env, ...places, node: process.execPath }),
  folder: join(places.outputs, '.sandbox'),
  path: env.PATH,
  person: { uid: Number(uid), gid: Number(uid) },
})
const shell = openShell({ env: { PATH: env.PATH, HOME: env.HOME, QUOTED: `it's "$HOME"` }, folder: places.outputs, launcher: sandbox.launcher })
const results = []
for (const command of commands) {
  const text = command.replaceAll('PARENT', String(process.pid)).replaceAll('BASE', base)
  const { head, code } = await shell.run(text, { cwd: places.root, timeout: 60_000, signal: new AbortController().signal })
  results.push({ text: head, code })
}
const hung = await shell.run("trap '' TERM; sleep 600 | (trap '' TERM; sleep 600)", { cwd: places.root, timeout: 200, signal: new AbortController().signal })
await shell.close()
process.stdout.write(JSON.stringify({ level: sandbox.level, results, hung: hung.ended }))
