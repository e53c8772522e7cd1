import { expect, test } from 'vitest'
import { isSteering } from '../../src/config/steering.ts'

test.each([
  'AGENTS.md',
  'packages/web/CLAUDE.md',
  'agents.MD',
  '.github/copilot-instructions.md',
  'opencode.jsonc',
  'packages/web/opencode.json',
  '.opencode/tool/x.ts',
  'packages/web/.opencode/agent/build.md',
  '.claude/skills/x/SKILL.md',
  '.gitattributes',
  'docs/.gitattributes',
  '.gitmodules',
  '.lfsconfig',
  '.githooks/pre-commit',
  '.husky/pre-push',
  '.github/workflows/ci.yml',
  '.github/actions/setup/action.yml',
])('%s steers', (path) => expect(isSteering(path)).toBe(true))

test.each([
  'README.md',
  'src/agents.md.ts',
  'docs/NOTAGENTS.md',
  'opencode/index.ts',
  '.github/ISSUE_TEMPLATE/bug.md',
  'src/opencode.json.ts',
  '.opencode-notes/x',
])('%s steers nothing', (path) => expect(isSteering(path)).toBe(false))
