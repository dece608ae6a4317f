// Starts and ends the announcement of the gateway's name by mDNS. It first tries the name that it announced last, even if the
// gateway has restarted since then. The mDNS library is loaded only when it is needed.

import type { AnnouncementState } from '../contract/network.ts';
import type { Log } from '../log.ts';
import type { Discovery, DiscoveryParts, openDiscovery } from './discovery.ts';
import { keepAnnouncedName, readAnnouncedName } from './network-file.ts';

export interface Announcer {
  state(): AnnouncementState;
  /** The names that are announced now and lead tills to this gateway. */
  names(): readonly string[];
  /** Announces the addresses that the gateway has now. If `isOn` is false, ends the announcement. */
  announce(isOn: boolean): Promise<void>;
  /** Ends the announcement, and tells other machines that it has ended. */
  close(): Promise<void>;
}

/** `parts` is called each time an announcement starts. The announced name is stored in the data directory. */
export function openAnnouncer(dataDir: string, parts: () => Omit<DiscoveryParts, 'name'>): Announcer {
  let discovery: Discovery | undefined;
  const state = (): AnnouncementState => discovery?.state() ?? { state: 'off' };

  async function close(): Promise<void> {
    const former = discovery;
    discovery = undefined;
    await former?.close();
  }

  return {
    state,
    names() {
      const present = state();
      return present.state === 'on' ? [present.name] : [];
    },
    async announce(isOn) {
      if (!isOn) return close();
      if (discovery !== undefined) return discovery.update();
      const { openDiscovery } = await import('./discovery.ts');
      discovery = start(openDiscovery, parts());
    },
    close,
  };

  function start(open: typeof openDiscovery, given: Omit<DiscoveryParts, 'name'>): Discovery {
    const last = readAnnouncedName(dataDir);
    return open({
      ...given,
      ...(last !== undefined && { name: last }),
      onChange(next) {
        if (next.state === 'on') keep(next.name, given.log);
        given.onChange?.(next);
      },
    });
  }

  function keep(name: string, log: Log): void {
    try {
      keepAnnouncedName(dataDir, name);
    } catch (err) {
      log.warn({ err, name }, 'cannot keep the announced name; the next start may announce another one');
    }
  }
}
