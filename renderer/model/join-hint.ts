// Whether a new till has sent its first sale and, if not, what the refusal log says about its attempts. Pure.

import type { ErrorCode } from '../../server/contract/codes.ts';
import type { ClockFlag, RecordSummary, RefusalGroup } from '../../server/contract/records.ts';

export type HintKind =
  | 'wrongKey'
  | 'noKey'
  | 'otherInterface'
  | 'untrusted'
  | 'wrongName'
  | 'plainHttp'
  | 'oldTls'
  | 'wrongPath'
  | 'refused';

export interface JoinHint {
  readonly kind: HintKind;
  readonly group: RefusalGroup;
}

/** Maximum hints at a time. */
const MAX_HINTS = 3;
/** Milliseconds without any call. After this time, the address, the network or a firewall is the likely cause. */
const SILENCE_MS = 60_000;

/** The new key and its last use. Times are epoch milliseconds of the gateway's clock. */
export interface Joining {
  readonly keyId: number;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/**
 * Explains the refusals since the key was created or, if later, last used. The latest hint is first, with one hint per kind and
 * device. A refusal without a known key may come from another device, so the screen names its address.
 */
export function joinHints(groups: readonly RefusalGroup[], joining: Joining): readonly JoinHint[] {
  const since = Math.max(joining.createdAt, joining.lastUsedAt ?? 0);
  return groups
    .filter(({ lastAt }) => lastAt >= since)
    .flatMap((group): readonly JoinHint[] => {
      if (group.keyId !== null && group.keyId !== joining.keyId) return [];
      const kind = kindOf(group.code) ?? (group.keyId === null ? undefined : 'refused');
      return kind === undefined ? [] : [{ kind, group }];
    })
    .toSorted((a, b) => b.group.lastAt - a.group.lastAt)
    .filter(
      ({ kind, group }, at, all) =>
        all.findIndex((each) => each.kind === kind && each.group.address === group.address) === at,
    )
    .slice(0, MAX_HINTS);
}

function kindOf(code: ErrorCode): HintKind | undefined {
  switch (code) {
    case 'key_unknown':
      return 'wrongKey';
    case 'key_missing':
      return 'noKey';
    case 'key_wrong_kind':
      return 'otherInterface';
    case 'certificate_untrusted':
      return 'untrusted';
    case 'name_not_certified':
      return 'wrongName';
    case 'https_required':
      return 'plainHttp';
    case 'handshake_failed':
      return 'oldTls';
    case 'not_found':
    case 'method_not_allowed':
    case 'end_point_invalid':
      return 'wrongPath';
    default:
      return undefined;
  }
}

export type JoinState =
  /** `isSilent`: no call of any kind has come for a minute. */
  | { readonly kind: 'waiting'; readonly isSilent: boolean }
  /** The key was used, but no sale has come. */
  | { readonly kind: 'called'; readonly at: number }
  | { readonly kind: 'arrived'; readonly record: RecordSummary; readonly clock: ClockFlag | undefined };

/**
 * `waitedMs` is how long this window has waited. `records` are the till's records, which may have been sent with other keys
 * too.
 */
export function joinState(
  { keyId, lastUsedAt }: Omit<Joining, 'createdAt'>,
  records: readonly RecordSummary[],
  hints: readonly JoinHint[],
  waitedMs: number,
): JoinState {
  const first = records
    .filter((record) => record.keyId === keyId)
    .reduce<RecordSummary | undefined>(
      (found, each) => (found === undefined || each.recordId < found.recordId ? each : found),
      undefined,
    );
  if (first !== undefined) return { kind: 'arrived', record: first, clock: first.clock };
  if (lastUsedAt !== null) return { kind: 'called', at: lastUsedAt };
  return { kind: 'waiting', isSilent: hints.length === 0 && waitedMs >= SILENCE_MS };
}
