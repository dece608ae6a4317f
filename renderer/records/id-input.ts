// Keeps the search field and the id in the address equal, in both directions. Pure.

export interface IdInput {
  readonly text: string;
  readonly inAddress: string;
  /** Ids sent to the address that have not arrived there yet, oldest first. */
  readonly sent: readonly string[];
}

/**
 * Called when the id in the address changes. If this field sent the change, newer typing stays. Any other change replaces the
 * text.
 */
export function followAddress({ text, sent }: IdInput, inAddress: string): IdInput {
  const arrived = sent.indexOf(inAddress);
  if (arrived !== -1) return { text, inAddress, sent: sent.slice(arrived + 1) };
  return { text: text.trim() === inAddress ? text : inAddress, inAddress, sent: [] };
}
