// Whether this machine has PHP with its extension curl. Many systems install PHP without it.

import { spawnSync } from 'node:child_process';

export const HAS_PHP = spawnSync('php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);']).status === 0;

if (!HAS_PHP) console.warn('Not run: tests of PHP need the program php with its extension curl.');
