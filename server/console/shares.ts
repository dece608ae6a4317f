// A limit on a shared resource, and a lower limit for each person over all sessions, so that one person leaves room for others.

export interface Shares {
  /** Takes a share. Beyond a limit it takes none, and returns how many are taken: by this person (`isOwn`) or by all. */
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
  /** The person of each share. */
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
