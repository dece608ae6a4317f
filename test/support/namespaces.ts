// A small network on this machine: hosts with their own addresses, each in a Linux network namespace, on one bridge. The
// machine's own network is not touched: the bridge has a namespace too. A namespace lives as long as its holder process, which
// ends with the test process. So nothing remains after a crash.

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import type { CommandResult } from './gateway-process.ts';
import { exitOf } from './gateway-process.ts';

export interface LanHost {
  readonly ipv4: string;
  /** A unique-local address. */
  readonly ipv6: string;
  /** The command that runs another command on this host, as in spawn(enter[0], [...enter.slice(1), 'curl', url]). */
  readonly enter: Enter;
  /** Runs a program on this host until it ends. */
  run(command: string, args: readonly string[], variables?: NodeJS.ProcessEnv): Promise<CommandResult>;
  /** Starts a program on this host. It is killed when the network closes. */
  start(command: string, args: readonly string[]): ChildProcessWithoutNullStreams;
  /** Lets this host resolve the names, in place of /etc/hosts of the machine. */
  setNames(addresses: Readonly<Record<string, string>>): void;
  /** Adds an address such as 10.77.0.9/24. */
  addAddress(address: string): void;
  removeAddress(address: string): void;
  /** Pulls out or puts in the cable. Without a cable, the system lists no address. */
  setCable(state: 'up' | 'down'): void;
}

export interface Lan {
  readonly hosts: readonly LanHost[];
  /**
   * Connects a host of another network to this network too, by an interface eth1. Returns the host's address in this network.
   */
  plugIn(host: LanHost): string;
  /** Cuts the network, so that no host reaches another. Each host keeps its address. */
  split(): void;
  /** Ends a split. */
  join(): void;
  close(): Promise<void>;
}

/** Why this machine cannot build a network of namespaces; undefined if it can. Tests print the reason when they are skipped. */
export const whyNoLan: string | undefined = findReason();

/**
 * Builds a network of `size` hosts: 10.77.0.1, 10.77.0.2 and so on, or with another number in place of 77. Closing ends everything
 * that was started in it.
 */
export async function openLan(size: number, network = 77): Promise<Lan> {
  const holders: ChildProcessWithoutNullStreams[] = [];
  const children = new Set<ChildProcessWithoutNullStreams>();

  async function hold(): Promise<Enter> {
    const holder = spawn('unshare', ['--net', '--mount', 'sh', '-c', 'echo ready; exec cat']);
    holders.push(holder);
    await once(holder.stdout, 'data');
    return ['nsenter', '--target', String(holder.pid), '--net', '--mount', '--'];
  }

  async function close(): Promise<void> {
    const ends = [...children, ...holders].map(async (child) => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await ended;
    });
    await Promise.all(ends);
  }

  try {
    const bridge = await hold();
    inside(bridge, 'ip link add lan type bridge mcast_snooping 0');
    inside(bridge, 'ip link set lan up');
    const hosts: LanHost[] = [];
    for (let number = 1; number <= size; number += 1) hosts.push(await addHost(bridge, number));
    const setIsolation = (state: 'on' | 'off'): void => {
      for (const [i] of hosts.entries()) inside(bridge, `ip link set port${i + 1} type bridge_slave isolated ${state}`);
    };
    const plugIn = ({ enter }: LanHost): string => {
      const ipv4 = `10.${network}.0.${size + 1}`;
      inside(bridge, `ip link add port${size + 1} type veth peer name eth1 netns ${enter[2]}`);
      inside(bridge, `ip link set port${size + 1} master lan up`);
      inside(enter, 'ip link set eth1 up');
      inside(enter, `ip address add ${ipv4}/24 dev eth1`);
      return ipv4;
    };
    return { hosts, plugIn, split: () => setIsolation('on'), join: () => setIsolation('off'), close };
  } catch (error) {
    await close();
    throw error;
  }

  async function addHost(bridge: Enter, number: number): Promise<LanHost> {
    const enter = await hold();
    const ipv4 = `10.${network}.0.${number}`;
    const ipv6 = `fd${network}::${number}`;
    inside(bridge, `ip link add port${number} type veth peer name eth0 netns ${holders.at(-1)?.pid}`);
    inside(bridge, `ip link set port${number} master lan up`);
    inside(enter, 'ip link set lo up');
    // When a host's first address is removed, its second address stays, as on most systems.
    inside(enter, 'sysctl --quiet --write net.ipv4.conf.all.promote_secondaries=1');
    // Without duplicate detection, an IPv6 address can be used immediately. The end of a detection would be a change of the
    // network, and browsers would stop loading.
    inside(enter, 'sysctl --quiet --write net.ipv6.conf.eth0.accept_dad=0');
    inside(enter, 'ip link set eth0 up');
    inside(enter, `ip address add ${ipv4}/24 dev eth0`);
    inside(enter, `ip address add ${ipv6}/64 dev eth0`);

    function start(command: string, args: readonly string[], variables?: NodeJS.ProcessEnv) {
      const [program, ...first] = enter;
      const child = spawn(program, [...first, command, ...args], { env: { ...process.env, ...variables } });
      children.add(child);
      child.once('exit', () => children.delete(child));
      child.stdin.on('error', () => {});
      return child;
    }

    return {
      ipv4,
      ipv6,
      enter,
      start,
      async run(command, args, variables) {
        const child = start(command, args, variables);
        child.stdin.end();
        const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
        return { ...exit, stdout, stderr };
      },
      setNames(addresses) {
        const lines = Object.entries(addresses).map(([name, address]) => `${address} ${name}\n`);
        const script = 'mount -t tmpfs tmpfs /mnt && cat > /mnt/hosts && mount --bind /mnt/hosts /etc/hosts';
        const [program, ...first] = enter;
        execFileSync(program, [...first, 'sh', '-c', script], { input: `127.0.0.1 localhost\n${lines.join('')}` });
      },
      addAddress: (address) => inside(enter, `ip address add ${address} dev eth0`),
      removeAddress: (address) => inside(enter, `ip address delete ${address} dev eth0`),
      setCable: (state) => inside(bridge, `ip link set port${number} ${state}`),
    };
  }
}

/** The words before a command, such as `nsenter …`. With these words, the command runs on another host. */
type Enter = readonly [string, ...string[]];

/** Runs a command in the namespaces of `enter` and throws its output if it fails. */
function inside([program, ...first]: Enter, command: string): void {
  execFileSync(program, [...first, ...command.split(' ')], { stdio: ['ignore', 'ignore', 'pipe'] });
}

function findReason(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    execFileSync('unshare', ['--net', '--mount', 'ip', 'link', 'add', 'lan', 'type', 'bridge'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'unshare and ip (packages util-linux and iproute2) cannot make network namespaces here';
  }
}
