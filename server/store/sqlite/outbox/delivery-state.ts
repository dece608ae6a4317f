// The numbers that the table `deliveries` stores for states. Its column `state` has the texts, but SQLite uses the partial indexes
// of waiting, held and set-aside deliveries only with a condition on the numbers.

import { DELIVERY_STATES, type DeliveryState } from '../../../contract/codes.ts';

export function stateNumber(state: DeliveryState): number {
  return DELIVERY_STATES.indexOf(state);
}

/** SQL condition on `deliveries`. */
export function isInState(state: DeliveryState): string {
  return `state_number = ${stateNumber(state)}`;
}
