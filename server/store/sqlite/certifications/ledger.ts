// Certifications in SQLite.

import type { CertificationLedger } from '../../certifications/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openCertificationLedger({ reader, writer, reading, guard, now }: EngineParts): CertificationLedger {
  return {
    begin: (report) => guard(writer.call('beginCertification', [report])),
    save: (id, report) => guard(writer.call('saveCertification', [id, report])),
    end: (id, report) => guard(writer.call('endCertification', [id, report, now()])),
    get: (id) => reading(reader.call('getCertification', [id])),
    list: (query) => reading(reader.call('listCertifications', [query])),
  };
}
