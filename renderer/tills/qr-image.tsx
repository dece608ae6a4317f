// A QR code as an image. An image may not run scripts, and it needs no inline style.

import { renderSVG } from 'uqr';

/** Width of the white border, in squares of the code. QR readers need four. */
const BORDER = 4;

function qrSvg(text: string): string {
  return renderSVG(text, { pixelSize: 1, border: BORDER, ecc: 'M' });
}

export function QrImage({
  text,
  label,
  className,
}: {
  readonly text: string;
  readonly label: string;
  readonly className: string | undefined;
}) {
  return <img src={`data:image/svg+xml,${encodeURIComponent(qrSvg(text))}`} alt={label} className={className} />;
}
