// The time that a screen is drawn for; it moves on twice a minute.

import { useEffect, useState } from 'react';

const EVERY_MS = 30_000;

/** Epoch milliseconds. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
