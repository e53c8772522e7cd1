// Plain JavaScript on purpose: it must run, and explain, on whatever Node the machine has.
const major = Number(process.versions.node.split('.')[0])
if (major < 22) {
  process.stderr.write(
    [
      `The tests need Node 22 or newer; this is Node ${process.versions.node}.`,
      'The development dependency `node` normally brings Node 24 for npm scripts. It is missing, most likely because',
      'npm was told not to run install scripts. Either run `npm install-scripts approve node && npm ci`, or install',
      'Node 24 by hand, and run `npm cit` again.',
      '',
    ].join('\n'),
  )
  process.exit(1)
}
