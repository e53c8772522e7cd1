/** Something that room is wanted for. */
export interface Want {
  readonly size: number
  /** How much more it matters than others. */
  readonly weight: number
}

/**
 * Divides room among those who want some, by weight: none gets more than it wants, and what one leaves goes to the others. In the order of the
 * wants.
 */
export function shares(room: number, wants: readonly Want[]): readonly number[] {
  const given = wants.map(() => 0)
  let rest = Math.max(0, room)
  let open = wants.map((_, index) => index).filter((index) => (wants[index]?.size ?? 0) > 0)
  while (open.length > 0) {
    const weights = open.reduce((sum, index) => sum + (wants[index]?.weight ?? 0), 0)
    const unit = rest / weights
    const content = open.filter((index) => (wants[index]?.size ?? 0) <= unit * (wants[index]?.weight ?? 0))
    if (content.length === 0) {
      for (const index of open) given[index] = Math.floor(unit * (wants[index]?.weight ?? 0))
      break
    }
    for (const index of content) {
      given[index] = wants[index]?.size ?? 0
      rest -= wants[index]?.size ?? 0
    }
    open = open.filter((index) => !content.includes(index))
  }
  return given
}
