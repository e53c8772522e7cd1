// Preloaded into the measured process: leaves its peak memory (in kB) where the bench looks for it.
import { writeFileSync } from 'node:fs'

process.on('exit', () => {
  if (process.env.BENCH_MEMORY_FILE) writeFileSync(process.env.BENCH_MEMORY_FILE, String(process.resourceUsage().maxRSS))
})
