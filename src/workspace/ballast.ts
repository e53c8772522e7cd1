import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes that are kept for the end of a run: room for a copy of the index, the edits as objects and as a patch, and the transcript. */
const size = 4 * 1024 * 1024

/** Takes some room in a folder of the runner, so that there is some to save the work in when everything else is full. Throws when there is none. */
export async function layBallast(temp: string): Promise<void> {
  await writeFile(fileIn(temp), Buffer.alloc(size))
}

/** Gives the room back; does nothing where none was taken. */
export async function dropBallast(temp: string): Promise<void> {
  await rm(fileIn(temp), { force: true })
}

const fileIn = (temp: string): string => join(temp, 'opencode-ballast')
