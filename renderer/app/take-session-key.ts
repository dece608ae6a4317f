// Must be the first import, because it takes the session key out of the address before the router reads the address.

import { takeSessionKey } from '../api/session-key.ts';

takeSessionKey();
