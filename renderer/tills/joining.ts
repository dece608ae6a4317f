// What a join card is about.

import type { Mode } from '../../server/contract/codes.ts';
import type { KeyView } from '../../server/contract/setup.ts';
import type { JoinPlace } from './join-place.ts';

export interface Joining {
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  readonly key: KeyView;
  /** Null after the creation of the key: the card then leaves the key out. */
  readonly secret: string | null;
  readonly place: JoinPlace;
}
