// The namespaces whose texts load with the first screen that needs them, not with Today. The build divides each language's file
// by this list. A test finds a namespace on the wrong side.

export const LATER_NAMESPACES: readonly string[] = [
  'status',
  'delivery',
  'tally',
  'reason',
  'reasonMeans',
  'day',
  'importing',
  'declaredFault',
  'network',
  'records',
  'record',
  'refused',
  'refusal',
  'refusalMeans',
  'refusalRemedy',
  'check',
  'upstream',
  'tills',
  'certify',
  'join',
  'activity',
  'settings',
  'thisGateway',
  'welcome',
];
