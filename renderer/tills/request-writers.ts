// The first request of a till, ready to paste, in the languages of integrators. Pure. The scripts need no packages.
// test/scenarios/console/join-requests.long.test.ts runs them.

import {
  type Ask,
  askOf,
  type Authority,
  CA_FILE,
  type JoinRequestParts,
  type Lines,
  OTHER_CERTIFICATE,
  type Syntax,
  writeInShell,
  writeObject,
} from '../../server/contract/join-request.ts';

export const LANGUAGES = ['curl', 'powershell', 'python', 'node', 'php', 'csharp'] as const;
export type Language = (typeof LANGUAGES)[number];
export const LANGUAGE_NAMES: Record<Language, string> = {
  curl: 'curl',
  powershell: 'PowerShell',
  python: 'Python',
  node: 'Node',
  php: 'PHP',
  csharp: 'C#',
};

type Writer = (ask: Ask, authority: Authority | null) => Lines;

const bare = (fingerprint: string): string => fingerprint.replaceAll(':', '');
const when = (isWanted: boolean, ...lines: readonly string[]): Lines => (isWanted ? lines : []);
const indented = (lines: Lines): Lines => lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`);

const powershell: Writer = ({ url, keyHeader, sale, idStart }, authority) => {
  const options = [
    ...(keyHeader === undefined ? [] : [`-Headers @{ ${keyHeader[0]} = '${keyHeader[1]}' }`]),
    ...(sale === undefined ? [] : ["-Method Post -ContentType 'application/json' -Body $sale"]),
  ];
  const call = [
    '[Net.ServicePointManager]::SecurityProtocol = "Tls12"',
    ...when(
      sale !== undefined,
      `$now = [DateTime]::UtcNow.ToString('s') + 'Z'`,
      `$sale = ConvertTo-Json ${sale ? writeObject(sale, idStart, POWERSHELL) : ''}`,
    ),
    [`Invoke-RestMethod '${url}'`, ...options].join(' `\n  '),
  ];
  if (authority === null) return call;
  const file = CA_FILE.replace('.pem', '.cer');
  // PowerShell 7 may run Import-Certificate in another process, which cannot ask the user. So certutil installs the
  // certificate.
  return [
    '# Windows asks whether to install the certificate: answer Yes.',
    `Invoke-WebRequest '${authority.from}/ca.der' -OutFile ${file} -UseBasicParsing`,
    `if ((Get-FileHash ${file}).Hash -eq '${bare(authority.fingerprint)}') {`,
    `  certutil -user -addstore Root ${file}`,
    ...indented(call),
    `} else { Write-Error '${OTHER_CERTIFICATE}' }`,
  ];
};
const POWERSHELL: Syntax = {
  open: '@{ ',
  close: ' }',
  separator: '; ',
  member: (name, value) => `${name} = ${value}`,
  text: (text) => `'${text}'`,
  number: (digits) => digits,
  id: (start) => `"${start}$now"`,
  now: '$now',
};

const python: Writer = ({ url, keyHeader, sale, idStart }, authority) => {
  const headers = [
    ...(keyHeader === undefined ? [] : [keyHeader]),
    ...(sale === undefined ? [] : [['Content-Type', 'application/json'] as const]),
  ].map(([name, value]) => `"${name}": "${value}"`);
  const needed = [
    ...(authority === null ? [] : ['hashlib', 'ssl']),
    ...(sale === undefined ? [] : ['json', 'time']),
    'urllib.request',
  ];
  return [
    '# Save as first.py, then run: python3 first.py',
    `import ${needed.toSorted().join(', ')}`,
    '',
    ...when(
      authority !== null,
      `pem = urllib.request.urlopen("${authority?.from}/ca.pem", timeout=10).read().decode()`,
      `fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest().upper()`,
      `if fingerprint != "${bare(authority?.fingerprint ?? '')}":`,
      `    raise SystemExit("${OTHER_CERTIFICATE}")`,
    ),
    ...when(
      sale !== undefined,
      'now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())',
      `sale = ${sale ? writeObject(sale, idStart, PYTHON) : ''}`,
    ),
    'request = urllib.request.Request(',
    `    "${url}",`,
    ...when(sale !== undefined, '    data=json.dumps(sale).encode(),'),
    ...when(headers.length > 0, `    headers={${headers.join(', ')}},`),
    ')',
    ...when(authority !== null, 'trust = ssl.create_default_context(cadata=pem)'),
    `with urllib.request.urlopen(request, timeout=10${authority === null ? '' : ', context=trust'}) as answer:`,
    '    print(answer.status, answer.read().decode())',
  ];
};
const PYTHON: Syntax = {
  open: '{',
  close: '}',
  separator: ', ',
  member: (name, value) => `"${name}": ${value}`,
  text: (text) => `"${text}"`,
  number: (digits) => digits,
  id: (start) => `"${start}" + now`,
  now: 'now',
};

/** Node's `fetch` has no option for an authority. So a gateway with its own authority is called by node:https. */
const node: Writer = ({ url, keyHeader, sale, idStart }, authority) => {
  const headers = [
    ...(keyHeader === undefined ? [] : [keyHeader]),
    ...(sale === undefined ? [] : [["'Content-Type'", 'application/json'] as const]),
  ].map(([name, value]) => `${name}: '${value}'`);
  const options = [
    ...(authority === null ? [] : ['  ca,']),
    ...when(sale !== undefined, "  method: 'POST',"),
    ...when(headers.length > 0, `  headers: { ${headers.join(', ')} },`),
  ];
  const body = when(
    sale !== undefined,
    'const now = `${new Date().toISOString().slice(0, 19)}Z`;',
    `const body = JSON.stringify(${sale ? writeObject(sale, idStart, JAVASCRIPT) : ''});`,
  );
  const howToRun = '// Save as first.mjs, then run: node first.mjs';
  if (authority === null)
    return [
      howToRun,
      ...body,
      `const answer = await fetch('${url}', {`,
      ...options,
      ...when(sale !== undefined, '  body,'),
      '  signal: AbortSignal.timeout(10_000),',
      '});',
      'console.log(answer.status, await answer.text());',
    ];
  return [
    howToRun,
    "import { X509Certificate } from 'node:crypto';",
    "import { request } from 'node:https';",
    "import { text } from 'node:stream/consumers';",
    '',
    `const ca = await (await fetch('${authority.from}/ca.pem')).text();`,
    `if (new X509Certificate(ca).fingerprint256 !== '${authority.fingerprint}') {`,
    `  throw new Error('${OTHER_CERTIFICATE}');`,
    '}',
    ...body,
    `const call = request('${url}', {`,
    ...options,
    '  timeout: 10_000,',
    '});',
    "call.on('timeout', () => call.destroy(new Error('no answer')));",
    "call.on('response', async (answer) => console.log(answer.statusCode, await text(answer)));",
    sale === undefined ? 'call.end();' : 'call.end(body);',
  ];
};
const JAVASCRIPT: Syntax = {
  open: '{ ',
  close: ' }',
  separator: ', ',
  member: (name, value) => `${name}: ${value}`,
  text: (text) => `'${text}'`,
  number: (digits) => String(Number(digits)),
  id: (start) => `\`${start}\${now}\``,
  now: 'now',
};

const php: Writer = ({ url, keyHeader, sale, idStart }, authority) => {
  const headers = [
    ...(keyHeader === undefined ? [] : [`'${keyHeader.join(': ')}'`]),
    ...(sale === undefined ? [] : ["'Content-Type: application/json'"]),
  ];
  return [
    '<?php // Save as first.php, then run: php first.php',
    ...when(
      authority !== null,
      `$pem = file_get_contents('${authority?.from}/ca.pem');`,
      `if (strtoupper(openssl_x509_fingerprint($pem, 'sha256')) !== '${bare(authority?.fingerprint ?? '')}') {`,
      `    throw new Exception('${OTHER_CERTIFICATE}');`,
      '}',
      `file_put_contents(__DIR__ . '/${CA_FILE}', $pem);`,
    ),
    ...when(
      sale !== undefined,
      "$now = gmdate('Y-m-d\\TH:i:s\\Z');",
      `$sale = ${sale ? writeObject(sale, idStart, PHP) : ''};`,
    ),
    `$call = curl_init('${url}');`,
    'curl_setopt_array($call, [',
    ...when(authority !== null, `    CURLOPT_CAINFO => __DIR__ . '/${CA_FILE}',`),
    ...when(headers.length > 0, `    CURLOPT_HTTPHEADER => [${headers.join(', ')}],`),
    ...when(sale !== undefined, '    CURLOPT_POSTFIELDS => json_encode($sale),'),
    '    CURLOPT_RETURNTRANSFER => true,',
    '    CURLOPT_TIMEOUT => 10,',
    ']);',
    '$answer = curl_exec($call);',
    'echo curl_getinfo($call, CURLINFO_RESPONSE_CODE), \' \', $answer === false ? curl_error($call) : $answer, "\\n";',
  ];
};
const PHP: Syntax = {
  open: '[',
  close: ']',
  separator: ', ',
  member: (name, value) => `'${name}' => ${value}`,
  text: (text) => `'${text}'`,
  number: (digits) => String(Number(digits)),
  id: (start) => `"${start}$now"`,
  now: '$now',
};

const csharp: Writer = ({ url, keyHeader, sale, idStart }, authority) => [
  '// Program.cs of a new project (dotnet new console), with .NET 8 or newer',
  ...when(sale !== undefined, 'using System.Net.Http.Json;'),
  ...when(
    authority !== null,
    'using System.Security.Cryptography;',
    'using System.Security.Cryptography.X509Certificates;',
  ),
  ...when(sale !== undefined || authority !== null, ''),
  ...when(
    authority !== null,
    'using var download = new HttpClient();',
    `var authority = X509Certificate2.CreateFromPem(await download.GetStringAsync("${authority?.from}/ca.pem"));`,
    `if (authority.GetCertHashString(HashAlgorithmName.SHA256) != "${bare(authority?.fingerprint ?? '')}")`,
    `    throw new Exception("${OTHER_CERTIFICATE}");`,
    'var trust = new X509ChainPolicy',
    '{',
    '    TrustMode = X509ChainTrustMode.CustomRootTrust,',
    '    RevocationMode = X509RevocationMode.NoCheck,',
    '};',
    'trust.CustomTrustStore.Add(authority);',
    'using var handler = new SocketsHttpHandler();',
    'handler.SslOptions.CertificateChainPolicy = trust;',
  ),
  `using var client = new HttpClient${authority === null ? '' : '(handler)'} { Timeout = TimeSpan.FromSeconds(10) };`,
  ...when(keyHeader !== undefined, `client.DefaultRequestHeaders.Add("${keyHeader?.[0]}", "${keyHeader?.[1]}");`),
  ...when(
    sale !== undefined,
    `var now = DateTime.UtcNow.ToString("s") + "Z";`,
    `var sale = ${sale ? writeObject(sale, idStart, CSHARP) : ''};`,
  ),
  sale === undefined
    ? `var answer = await client.GetAsync("${url}");`
    : `var answer = await client.PostAsJsonAsync("${url}", sale);`,
  'Console.WriteLine($"{(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");',
];
const CSHARP: Syntax = {
  open: 'new { ',
  close: ' }',
  separator: ', ',
  member: (name, value) => `${name === 'object' ? '@object' : name} = ${value}`,
  text: (text) => `"${text}"`,
  number: (digits) => `${digits}m`,
  id: (start) => `$"${start}{now}"`,
  now: 'now',
};

const WRITERS: Record<Language, Writer> = { curl: writeInShell, powershell, python, node, php, csharp };

/** The request as a script that prints the answer. Each run sends a new sale, with the time of the till's clock. */
export function joinRequest(language: Language, parts: JoinRequestParts): string {
  return WRITERS[language](askOf(parts), parts.authority).join('\n');
}
