// Imported first: takes the session's key out of the address before the router reads it.

import { takeSessionKey } from '../api/session-key.ts';

takeSessionKey();
