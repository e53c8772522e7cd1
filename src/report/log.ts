import { stripVTControlCharacters } from 'node:util'
import type { Redactor } from './redact.ts'

/** What a run says to the job's log. Texts may come from anybody: a model, a tool, a thread. */
export interface Log {
  info(text: string): void
  /** An annotation on the run's page, and a line in the log. */
  notice(text: string, title?: string): void
  warning(text: string, title?: string): void
  error(text: string, title?: string): void
  /** Opens a fold of the log; groups don't nest. */
  group(title: string): void
  endGroup(): void
}

/**
 * The one writer to the job's log. `write` gets whole lines without a line break. Secrets are redacted, and nothing in a text can
 * become a workflow command, whatever line breaks or escape sequences it hides behind (C145).
 */
export function createLog(write: (line: string) => void, redactor: Redactor): Log {
  const plain = (text: string): string[] => redactor.redact(stripped(text)).split(lineBreak).map(harmless)
  const annotate = (command: string) => (text: string, title?: string) => {
    const property = title === undefined ? '' : ` title=${escapeProperty(plain(title).join(' '))}`
    write(`::${command}${property}::${escapeData(plain(text).join('\n'))}`)
  }
  return {
    info: (text) => plain(text).forEach(write),
    notice: annotate('notice'),
    warning: annotate('warning'),
    error: annotate('error'),
    group: (title) => write(`::group::${escapeData(plain(title).join(' '))}`),
    endGroup: () => write('::endgroup::'),
  }
}

/** Everything that any reader of a log may take for the end of a line. */
const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** Removed before redaction, since a secret with an invisible character inside would be whole again afterwards. */
function stripped(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/(?![\n\r\v\f\t\u0085\u2028\u2029])[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
}

/** The runner takes a line for a command that begins with `::` after blanks, or has `##[` anywhere. */
function harmless(line: string): string {
  return line.replace(/^(\s*:)(?=:)/, '$1 ').replaceAll('##[', '# #[')
}

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
