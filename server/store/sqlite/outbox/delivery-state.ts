// The table `deliveries` stores each state as a number. Its column `state` has the text. SQLite uses the partial indexes of
// waiting, held and set-aside deliveries only if a query compares the number.

import { DELIVERY_STATES, type DeliveryState } from '../../../contract/codes.ts';

export function stateNumber(state: DeliveryState): number {
  return DELIVERY_STATES.indexOf(state);
}

/** SQL condition: a row of `deliveries` is in this state. */
export function isInState(state: DeliveryState): string {
  return `state_number = ${stateNumber(state)}`;
}
