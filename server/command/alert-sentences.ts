// The faults of alerts in words, as the command line prints them.

import type { AlertFault } from '../contract/alerts.ts';
import { shownCommand } from '../data-location.ts';

/** A sentence that says why an alert could not be sent, and what to do. `data` is the data directory of the gateway. */
export function alertFaultSentence({ code, detail }: AlertFault, data: string | undefined): string {
  const seen = detail === null ? '' : ` (${detail})`;
  switch (code) {
    case 'unreachable':
      return `The server cannot be reached${seen}. Check the address and the connection.`;
    case 'untrusted':
      return `The certificate of the server is not trusted${seen}. Check the address.`;
    case 'link_local':
      return `The name leads to a link-local address${seen}, to which nothing is sent. Check the address.`;
    case 'no_answer':
      return `The server did not answer${seen}. The gateway tries again.`;
    case 'moved':
      return `The address redirects${seen}. Enter the new address.`;
    case 'rejected':
      return `The server rejected the message${seen}. Check the address.`;
    case 'mail_login':
      return `The mail server refused the user or the password${seen}. Set them again: ${shownCommand(data, 'alerts mail --help')}`;
    case 'mail_address':
      return `The mail server rejected the sender or the receiver${seen}. Check both addresses.`;
    case 'mail_missing':
      return `No mail server is set: ${shownCommand(data, 'alerts mail --help')}`;
    case 'mail_unencrypted':
      return `The mail server offers no encryption${seen}. Check --security and the port.`;
    case 'sealed':
      return 'The secret is sealed with a key that is not here. Unlock the keyring, or add the receiver again.';
  }
}
