// The text of the search beside the id in the address, which follow each other. Pure.

export interface TypedId {
  readonly text: string;
  readonly inAddress: string;
  /** What is on its way to the address, the oldest first. */
  readonly sent: readonly string[];
}

/** Another id is in the address: one that was sent changes no letter that was typed since; any other is taken over. */
export function follow({ text, sent }: TypedId, inAddress: string): TypedId {
  const arrived = sent.indexOf(inAddress);
  if (arrived !== -1) return { text, inAddress, sent: sent.slice(arrived + 1) };
  return { text: text.trim() === inAddress ? text : inAddress, inAddress, sent: [] };
}
