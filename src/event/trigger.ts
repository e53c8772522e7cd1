/** What a webhook asks for, in our own words. Everything downstream reads this and never the payload. */

export interface Person {
  readonly login: string
  readonly id?: number
  readonly type: 'User' | 'Bot' | 'Organization' | 'Unknown'
}

/** What the text after the trigger word asks for (DESIGN, "Verbs after the trigger"). */
export type Verb =
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'command'; readonly name: string; readonly arguments: string }
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'continue' }
  | { readonly type: 'cancel' }
  | { readonly type: 'undo' }
  | { readonly type: 'help' }

export interface Repository {
  readonly owner: string
  readonly name: string
  readonly defaultBranch?: string
  readonly private?: boolean
}

interface Common {
  readonly repository: Repository
  readonly actor: Person
  readonly verb: Verb
}

/** The issue or PR the event is about, as the payload quoted it: the text the requester saw. */
export interface Subject {
  readonly number: number
  readonly isPull: boolean
  readonly title: string
  readonly body: string
  readonly author: string
  readonly locked: boolean
  readonly state: string
}

export type Trigger =
  | (Common & {
      readonly event: 'issue_comment'
      readonly subject: Subject
      readonly comment: { readonly id: number; readonly url: string; readonly body: string; readonly createdAt: string }
    })
  | (Common & { readonly event: 'issues'; readonly action: string; readonly subject: Subject })
  | (Common & { readonly event: 'schedule'; readonly cron: string })
  | (Common & { readonly event: 'workflow_dispatch' })

/** Reading an event ends in a trigger, or in nothing to do with the sentence that says why. */
export type Reading = { readonly kind: 'trigger'; readonly trigger: Trigger } | { readonly kind: 'nothing'; readonly reason: string }
