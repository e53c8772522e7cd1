import { type Family, placesOf, readCorpus, runsOf } from '../test/attacks/corpus.ts'
import { type Played, play, told } from '../test/attacks/play.ts'

/**
 * `npm run attack`: tries the attacks of the corpus against the built action and prints totals. Each attack is tried in a quarter of the places where
 * its words can stand, so that together they are tried everywhere; `--quick` tries each in one place, `--all` in every place. Further arguments name
 * the families to try. Exit 1 when anything escaped.
 */
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const breadth = process.argv.includes('--quick') ? 'one' : process.argv.includes('--all') ? 'all' : 'some'
const corpus = readCorpus().filter(({ file }) => names.length === 0 || names.some((name) => file.includes(name)))

/** Runs that are under way at once: the action and all it talks to share the processors. */
const atOnce = 2

async function attackBy({ file, family }: { file: string; family: Family }): Promise<readonly Played[]> {
  const waiting = runsOf(family, breadth).values()
  const played: Played[] = []
  const work = async () => {
    for (const run of waiting) played.push(await play(family, run))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const escapes = played.reduce((sum, each) => sum + each.escapes.length, 0)
  const tried = played.reduce((sum, { planted }) => sum + planted.length, 0)
  console.log(`${escapes === 0 ? 'held  ' : 'BROKEN'} ${file}: ${family.attacks.length} attacks, ${tried} placements, ${escapes} escapes`)
  for (const each of played.filter((one) => one.escapes.length > 0)) console.log(told(each).replaceAll(/^/gm, '  '))
  return played
}

const all: Played[] = []
for (const each of corpus) all.push(...(await attackBy(each)))
const sum = (of: (played: Played) => number) => all.reduce((total, played) => total + of(played), 0)
const attacks = corpus.flatMap(({ family }) => family.attacks)
const places = new Set(attacks.flatMap(placesOf))
const impossible = all.find((played) => played.impossible)?.impossible
const escapes = sum((played) => played.escapes.length)
console.log(
  `${attacks.length} attacks in ${corpus.length} families, ${places.size} places; ${sum(({ planted }) => planted.length)} placements in ${all.length} runs, ` +
    `${sum(({ obeyed }) => obeyed)} of them obeyed by the model; ${escapes} escapes`,
)
if (impossible) console.log(`Nothing was proven: ${impossible}`)
process.exit(escapes === 0 && !impossible ? 0 : 1)
