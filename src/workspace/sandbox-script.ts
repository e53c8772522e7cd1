/** The shell texts of the sandbox: what is set up in the new namespaces, and what starts commands in them. */

/** What a sandbox shows and hides. All paths are absolute and real. */
export interface Walls {
  /** Folders that are empty inside, but for what of `keep` lies in them. */
  readonly emptied: readonly string[]
  /** Folders that stay as they are, and can be written, wherever they lie. */
  readonly keep: readonly string[]
  /** Files and sockets that read as empty inside. */
  readonly blanked: readonly string[]
  /** Folders that can't be written inside. */
  readonly frozen: readonly string[]
  /** Folders in which programs are looked for: what is written there inside is not there outside. */
  readonly programs: readonly string[]
  /** Folders that stay where they are: they can be written, but not renamed. */
  readonly rooted: readonly string[]
}

/** Whom commands run as, when the sandbox is set up by somebody else. */
export interface Person {
  readonly uid: number
  readonly gid: number
}

/** Sockets of services that would do for a command what it may not do itself, such as starting a container that sees everything. */
const sockets = [
  '/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/run/podman/podman.sock',
  '/run/crio/crio.sock',
  '/run/snapd.socket',
  '/run/systemd/private',
  '/run/dbus/system_bus_socket',
]

/** Words for a shell that stand for exactly this text. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Sets the walls up and gives every privilege away; run with the rights to mount, in mount and PID namespaces of its own. Ends in the process that
 * keeps the PID namespace alive: it collects what is orphaned, and ends with the starter, whereupon the kernel ends all that is left in there.
 * `whole`: the commands will be root's, so that what only root may touch must be closed too.
 */
export function setupScript({ walls, person, whole, folder }: { walls: Walls; person: Person | undefined; whole: boolean; folder: string }): string {
  const kept = walls.keep.map((path, index) => ({ path, fd: index + 4 }))
  const inside = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)
  const drop = ['--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all']
  const identity = person ? [`--reuid=${person.uid}`, `--regid=${person.gid}`, '--clear-groups'] : []
  return [
    'set -e',
    ...(whole ? rootsOwn(walls.keep, folder) : []),
    ...anchors([...walls.emptied, ...walls.frozen, ...walls.programs, ...walls.rooted.map((path) => `${path}/.`)]).map(
      (path) => `mount --rbind ${quote(path)} ${quote(path)}`,
    ),
    ...walls.programs.flatMap((path, index) => layered(path, `${folder}/programs_${index}`)),
    ...kept.map(({ path, fd }) => `exec ${fd}<${quote(path)}`),
    ...walls.emptied.flatMap((path) => [
      `mount -t tmpfs -o mode=755 tmpfs ${quote(path)}`,
      ...kept
        .filter((each) => inside(each.path, path))
        .flatMap((each) => [`mkdir -p ${quote(each.path)}`, `mount --no-canonicalize --bind /proc/self/fd/${each.fd} ${quote(each.path)}`]),
      `mount -o remount,bind,ro ${quote(path)}`,
    ]),
    ...kept.map(({ fd }) => `exec ${fd}<&-`),
    ...[...walls.blanked, ...sockets].map((path) => `if [ -e ${quote(path)} ]; then mount --bind /dev/null ${quote(path)}; fi`),
    ...walls.frozen.flatMap((path) => [`mount --bind ${quote(path)} ${quote(path)}`, `mount -o remount,bind,ro ${quote(path)}`]),
    'cd /',
    `exec setpriv ${[...identity, ...drop].join(' ')} sh -c ${quote(keeper(folder))}`,
  ].join('\n')
}

/**
 * The folders above these, topmost first. Each becomes a place of its own that can't be renamed, for else a folder with the same name and other content
 * could be put where a later step looks.
 */
function anchors(paths: readonly string[]): string[] {
  const above = (path: string): string[] => {
    const parts = path.split('/').slice(1, -1)
    return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
  }
  return [...new Set(paths.flatMap(above))].sort((a, b) => a.length - b.length)
}

/** Lays an empty folder over one, which takes what is written; where the machine can't do that, nothing can be written there. */
function layered(path: string, own: string): string[] {
  const layers = [`lowerdir=${path}`, `upperdir=${own}/upper`, `workdir=${own}/work`]
  const frozen = `mount --bind ${quote(path)} ${quote(path)}; mount -o remount,bind,ro ${quote(path)}`
  // These characters mean something in the options of an overlay.
  if (layers.some((layer) => /[,:\\]/.test(layer))) return [frozen]
  return [
    `mkdir -p ${quote(`${own}/upper`)} ${quote(`${own}/work`)}`,
    `mount -t overlay -o ${quote(layers.join(','))} overlay ${quote(path)} 2>/dev/null || { ${frozen}; }`,
  ]
}

/** For commands that are root's: devices and the kernel's switches out of reach, and no program to be replaced that we run later. */
function rootsOwn(keep: readonly string[], folder: string): string[] {
  const stage = quote(`${folder}/dev`)
  return [
    `mkdir -p ${stage}`,
    `mount -t tmpfs -o mode=755 tmpfs ${stage}`,
    `for each in null zero full random urandom tty; do : > ${stage}/$each; mount --bind /dev/$each ${stage}/$each; done`,
    `for each in shm pts; do mkdir ${stage}/$each; if [ -d /dev/$each ]; then mount --bind /dev/$each ${stage}/$each; fi; done`,
    `ln -s /proc/self/fd ${stage}/fd; ln -s /proc/self/fd/0 ${stage}/stdin; ln -s /proc/self/fd/1 ${stage}/stdout; ln -s /proc/self/fd/2 ${stage}/stderr; ln -s pts/ptmx ${stage}/ptmx`,
    `mount --move ${stage} /dev`,
    'mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys',
    'if [ -e /proc/sysrq-trigger ]; then mount --bind /dev/null /proc/sysrq-trigger; fi',
    `while read -r _ _ _ _ at _; do case $at in /sys|/sys/*) mount -o remount,bind,ro "$at" || true;; esac; done < /proc/self/mountinfo`,
    ...['/tmp', '/var/tmp', ...keep].map((path) => `mount --rbind ${quote(path)} ${quote(path)}`),
    'mount -o remount,bind,ro /',
  ]
}

const keeper = (folder: string): string => `exec 3<&0; sh -c ${quote(starter(folder))} <&3 & wait $!`

/**
 * Starts and stops commands as told on its input, and says how they ended. A command is a script in the folder, its output goes to a pipe beside
 * it; in a session of its own it leads its process group. At the end of the input everything gets TERM and some time.
 */
function starter(folder: string): string {
  const at = quote(folder)
  return [
    'echo ready',
    'while read -r verb id group; do case $verb in',
    `run) ( ( setsid sh ${at}/start_$id.sh </dev/null >/dev/null 2>&1 & echo "began $id $!"; wait $!; echo "ended $id $?" ) & ) ;;`,
    'end|kill) sig=TERM; [ $verb = kill ] && sig=KILL; kill -s $sig -- -$group 2>/dev/null; if kill -s 0 -- -$group 2>/dev/null; then echo "alive $id"; else echo "gone $id"; fi ;;',
    'ask) if kill -s 0 -- -$group 2>/dev/null; then echo "alive $id"; else echo "gone $id"; fi ;;',
    'esac; done',
    'kill -s TERM -- -1 2>/dev/null',
    // The keeper, this one, and what collects its own children; a while, and the rest goes with the namespace.
    'n=0; while [ $n -lt 60 ]; do set -- /proc/[0-9]*; [ $# -le 2 ] && break; sleep 0.05; n=$((n + 1)); done',
  ].join('\n')
}
