// The flags of the settings, for the commands that read them as the gateway does.

import { type Command, Option } from 'commander';

/** Adds a flag for each setting. */
export function withSettingOptions(command: Command): Command {
  return command
    .option(
      '--host <address>',
      'the address at which tills reach the gateway; 0.0.0.0 opens it to the LAN (default: 127.0.0.1)',
    )
    .option('--port <number>', 'the port for tills, 0 for a free one (default: 7410)')
    .option('--console-port <number>', 'the port for the console, 0 for a free one (default: 7411)')
    .option(
      '--console-host <address>',
      'the address of the console; other machines need HTTPS and users (default: 127.0.0.1)',
    )
    .option(
      '--base-domain <domain>',
      'for the earlier interface: the domain that follows the customer name and id in host names',
    )
    .option(
      '--connections-per-address <number>',
      'the maximum number of open connections from one address (default: 512)',
    )
    .option('--tls-certificate <file>', 'the certificate (PEM, with its chain) for HTTPS; needs --tls-key')
    .option('--tls-key <file>', 'the key of the certificate (PEM, without a passphrase)')
    .option('--plain-http', 'allow HTTP without encryption on a --host that other machines reach')
    .option('--upstream-proxy <url>', 'the HTTP proxy between the gateway and the upstream')
    .option('--upstream-ca <file>', 'a file of certificates to trust for the upstream, in place of the usual ones')
    .option(
      '--metrics-from <networks>',
      'the addresses or networks of other machines that may read /metrics, such as "192.168.1.20, 10.0.0.0/24"',
    )
    .option('--backup-folder <folder>', 'the folder of a daily backup, on another disk (default: no daily backup)')
    .option('--backup-keep <number>', 'the number of daily backups to keep (default: 14)')
    .option(
      '--archive-months <number>',
      'the age in months at which the bodies of settled days are archived (default: no archive)',
    )
    .option('--archive-folder <folder>', 'the folder of the archive (default: archive, in the data directory)')
    .option('--metrics-token-file <file>', 'a file with the token with which other machines may read /metrics')
    .addOption(
      new Option('--log-level <level>', 'the lowest level that goes to the log (default: info)').choices([
        'debug',
        'info',
        'warn',
        'error',
      ]),
    );
}
