// The health check of the container: exits with 0 if the gateway answers at /healthz, otherwise with 1. It asks on this machine,
// so it need not verify the certificate.

const port = process.env.COUNTERFOIL_PORT ?? '7410';
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
process.removeAllListeners('warning'); // Node warns about the line above

/** @type {(scheme: 'http' | 'https') => Promise<boolean>} */
const isHealthy = (scheme) =>
  fetch(`${scheme}://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
process.exit((await isHealthy('http')) || (await isHealthy('https')) ? 0 : 1);
