// What a join card shows: the store, the till, its key, and where the till connects.

import type { Mode } from '../../server/contract/codes.ts';
import type { KeyView } from '../../server/contract/setup.ts';
import type { JoinPlace } from './join-place.ts';

export interface Joining {
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  readonly key: KeyView;
  /** Null for a key that was created earlier: the card then leaves the key out. */
  readonly secret: string | null;
  readonly place: JoinPlace;
}
