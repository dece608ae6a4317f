// Whether the name of the gateway is announced by mDNS. The library is loaded at first use.

import type { AnnouncementState } from '../contract/network.ts';
import type { Discovery, DiscoveryParts } from './discovery.ts';

export interface Announcer {
  state(): AnnouncementState;
  /** The names that lead here. */
  names(): readonly string[];
  /** Announces the present addresses, or ends the announcement. */
  announce(isOn: boolean): Promise<void>;
  /** Says goodbye to the network. */
  close(): Promise<void>;
}

/** `parts` is called at each start of an announcement. */
export function openAnnouncer(parts: () => DiscoveryParts): Announcer {
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
      discovery = openDiscovery(parts());
    },
    close,
  };
}
