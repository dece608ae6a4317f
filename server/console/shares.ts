// Limits the use of a shared resource. One limit applies to all persons together. A lower limit applies to all sessions of one
// person. So one person cannot take all shares.

export interface Shares {
  /**
   * Takes a share, unless a limit is reached. A refusal contains the number of shares in use. If `isOwn` is true, it counts the
   * shares of this person; otherwise it counts those of all persons.
   */
  take(person: string): Taken | Refused;
}

interface Taken {
  readonly kind: 'taken';
  /** Gives the share back; call once. */
  release(): void;
}

interface Refused {
  readonly kind: 'refused';
  readonly count: number;
  readonly isOwn: boolean;
}

export function openShares({ max, maxPerPerson }: { readonly max: number; readonly maxPerPerson: number }): Shares {
  /** The persons who hold shares, one entry for each share. */
  const taken: string[] = [];
  return {
    take(person) {
      const own = taken.filter((each) => each === person).length;
      if (own >= maxPerPerson) return { kind: 'refused', count: own, isOwn: true };
      if (taken.length >= max) return { kind: 'refused', count: taken.length, isOwn: false };
      taken.push(person);
      return { kind: 'taken', release: () => void taken.splice(taken.indexOf(person), 1) };
    },
  };
}
