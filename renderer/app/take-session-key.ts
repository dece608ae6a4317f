// The first import: takes the session key out of the address before the router reads it.

import { takeSessionKey } from '../api/session-key.ts';

takeSessionKey();
