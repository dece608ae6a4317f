// A limit on what all sessions share, and a lower one for each session, so that one person leaves room for the others.

export interface Shares {
  /** Takes a share. Refuses beyond a limit, and says how many are taken: by this session (`isOwn`), or by all. */
  take(sessionId: string): Taken | Refused;
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

export function openShares({ max, maxPerSession }: { readonly max: number; readonly maxPerSession: number }): Shares {
  /** The session of each share. */
  const taken: string[] = [];
  return {
    take(sessionId) {
      const own = taken.filter((each) => each === sessionId).length;
      if (own >= maxPerSession) return { kind: 'refused', count: own, isOwn: true };
      if (taken.length >= max) return { kind: 'refused', count: taken.length, isOwn: false };
      taken.push(sessionId);
      return { kind: 'taken', release: () => void taken.splice(taken.indexOf(sessionId), 1) };
    },
  };
}
