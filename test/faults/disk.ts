import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/local/process.ts'

/** A disk that can be filled, for the folders of one machine. */
export interface Disk {
  fill(): Promise<void>
  free(): Promise<void>
  close(): Promise<void>
}

/** Enough for all that a run keeps, in MiB. */
const size = 16

/** Puts a small file system of its own under each folder. Throws where that is not permitted. */
export async function smallDisk(folders: readonly string[]): Promise<Disk> {
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await mount('mount', '-t', 'tmpfs', '-o', `size=${size}m`, 'none', folder)
  }
  const fillers = folders.map((folder) => join(folder, 'filler'))
  return {
    async fill() {
      // It ends where the disk does.
      for (const filler of fillers) await writeFile(filler, Buffer.alloc(2 * size * 1024 * 1024)).catch(() => undefined)
    },
    async free() {
      for (const filler of fillers) await rm(filler, { force: true })
    },
    async close() {
      for (const folder of folders) await mount('umount', '--lazy', folder)
    },
  }
}

/** Why no disk can be filled on this machine; undefined where one can. */
export async function noDisk(): Promise<string | undefined> {
  const folder = join(tmpdir(), `opencode-disk-${process.pid}`)
  try {
    const disk = await smallDisk([folder])
    await disk.close()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function mount(command: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await run(command, args, { cwd: tmpdir(), env: process.env })
  if (code !== 0) throw new Error(`${command} failed: ${stderr.trim()}`)
}
