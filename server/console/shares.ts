// Limits a shared resource. There is a limit for all, and a lower limit for each person over all of the person's sessions. So
// one person leaves room for others.

export interface Shares {
  /**
   * Takes a share. If a limit is reached, takes none, and returns the number of taken shares. With `isOwn`, it is the number of
   * this person; otherwise of all.
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
