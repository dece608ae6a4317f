// Adds verdicts on both interfaces. Verdicts and signatures now also count sales of the earlier interface, and verdicts have
// notes. A check can send missing records again early, and an administration can share its upstream with other senders.

import type { Connection } from '../engine/database.ts';

export function addBothInterfaces(db: Connection): void {
  db.exec(`
    -- Whether other senders use the same administration upstream.
    ALTER TABLE administrations ADD COLUMN others_send INTEGER NOT NULL DEFAULT 0 CHECK (others_send IN (0, 1));

    -- NEW records of the earlier interface, and how many of them the upstream accepted.
    ALTER TABLE verdicts ADD COLUMN earlier INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE verdicts ADD COLUMN earlier_taken INTEGER NOT NULL DEFAULT 0;
    -- What a check found that is not a difference.
    ALTER TABLE verdicts ADD COLUMN notes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(notes));

    -- Null if the day was signed before verdicts counted the earlier interface.
    ALTER TABLE sign_offs ADD COLUMN earlier INTEGER;

    -- Whether to send records again if they are missing upstream, even before the settle time is over.
    ALTER TABLE checks ADD COLUMN resend INTEGER NOT NULL DEFAULT 0 CHECK (resend IN (0, 1));`);
}
