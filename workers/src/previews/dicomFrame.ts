import { createRequire } from 'node:module';
import { limits } from '@lightbox/contract/limits.js';
import type * as Imaging from 'dcmjs-imaging';

// A CommonJS bundle: Node cannot see its export names from an ES module.
const imaging = createRequire(import.meta.url)('dcmjs-imaging') as typeof Imaging;
const { DicomImage, NativePixelDecoder } = imaging;
const { RleLossless, ExplicitVRBigEndian } = imaging.constants.TransferSyntax;
export const { WindowLevel } = imaging;

export type RenderOptions = NonNullable<Parameters<Imaging.DicomImage['render']>[0]>;

export interface Frame {
  /** RGBA */
  pixels: Uint8Array;
  width: number;
  height: number;
  /** Absent for colours. */
  windowLevel: Imaging.WindowLevel | undefined;
  histogram: Imaging.Histogram | undefined;
}

let codecs: Promise<void> | null = null;

/** One DICOM file. dcmjs-imaging renders its frames, and this class corrects the library's errors (compared with pydicom). */
export class DicomFrames {
  private readonly image: Imaging.DicomImage;
  private readonly planar: boolean;
  private readonly ybr: boolean;

  static async open(bytes: Buffer): Promise<DicomFrames> {
    codecs ??= NativePixelDecoder.initializeAsync();
    await codecs;
    const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    return new DicomFrames(new DicomImage(copy));
  }

  private constructor(image: Imaging.DicomImage) {
    // Drawing needs about twenty bytes per pixel.
    if (image.getWidth() * image.getHeight() > limits.megapixels * 1_000_000)
      throw new Error('too many pixels to draw');
    this.image = image;
    this.planar = image.getTransferSyntaxUid() === RleLossless && this.number('SamplesPerPixel', 1) === 3;
    this.ybr = this.planar && this.text('PhotometricInterpretation').startsWith('YBR');
    if (this.planar) this.readAsInterleavedRgb();
    if (image.getTransferSyntaxUid() === ExplicitVRBigEndian) this.orderBytes();
    if (this.text('PhotometricInterpretation') === 'PALETTE COLOR') this.lengthenPalettes();
  }

  number(keyword: string, otherwise: number): number {
    const value = Number(this.image.getElement(keyword) ?? otherwise);
    return Number.isFinite(value) ? value : otherwise;
  }

  /** Renders the middle frame, because it shows more of a series or a film than the first frame does. */
  renderMiddle(options: RenderOptions = {}): Frame {
    const frame = Math.floor(((this.image.getNumberOfFrames() || 1) - 1) / 2);
    const { pixels, width, height, windowLevel, histograms } = this.image.render({ ...options, frame });
    const rgba = new Uint8Array(pixels);
    return {
      pixels: this.planar ? this.interleave(rgba) : rgba,
      width,
      height,
      windowLevel,
      histogram: histograms?.[0],
    };
  }

  private text(keyword: string): string {
    return String(this.image.getElement(keyword) ?? '');
  }

  /**
   * RLE stores one plane per colour (PS3.5 §G.2). The library unpacks the planes but then reads them as interleaved pixels.
   * So this declares them as interleaved, and `interleave` puts them together afterwards.
   */
  private readAsInterleavedRgb(): void {
    if (this.number('BitsAllocated', 8) !== 8) throw new Error('colours of more than 8 bits in RLE are not drawn');
    const elements = this.image.getElements();
    elements.PlanarConfiguration = 0;
    elements.PhotometricInterpretation = 'RGB';
  }

  private interleave(rgba: Uint8Array): Uint8Array {
    const count = rgba.length / 4;
    const planes = new Uint8Array(count * 3);
    for (let i = 0; i < count; i++) planes.set(rgba.subarray(i * 4, i * 4 + 3), i * 3);
    const out = new Uint8Array(rgba.length).fill(255);
    for (let i = 0; i < count; i++) {
      const colour = [planes[i] ?? 0, planes[count + i] ?? 0, planes[2 * count + i] ?? 0] as const;
      out.set(this.ybr ? rgbOf(colour) : colour, i * 4);
    }
    return out;
  }

  /**
   * Values beyond the last entry have its colour (PS3.3 §C.7.6.3.1.5). The library has no colour for them, and reads a wrong
   * width from an odd number of 8-bit entries. So this adds an entry for every possible value to each palette.
   */
  private lengthenPalettes(): void {
    const elements = this.image.getElements() as Record<string, unknown>;
    const values = 2 ** Math.min(16, this.number('BitsStored', 8));
    for (const colour of ['Red', 'Green', 'Blue']) {
      const descriptor = elements[`${colour}PaletteColorLookupTableDescriptor`];
      const [data] = [elements[`${colour}PaletteColorLookupTableData`]].flat();
      if (!Array.isArray(descriptor) || !(data instanceof ArrayBuffer)) continue;
      const [said, first, bits] = descriptor.map(Number) as [number, number, number];
      const count = said || 65_536;
      const entries = Buffer.from(data);
      const width = bits === 8 && entries.length < count * 2 ? 1 : 2;
      const last = entries.subarray((count - 1) * width, count * width);
      if (last.length < width) continue;
      const all = Buffer.alloc(Math.max(values, count) * width, last);
      entries.copy(all, 0, 0, count * width);
      elements[`${colour}PaletteColorLookupTableDescriptor`] = [all.length / width, first, bits];
      elements[`${colour}PaletteColorLookupTableData`] = [new Uint8Array(all).buffer];
    }
  }

  /** Swaps the bytes of other pixels too: OW is a stream of 16-bit words (PS3.5 §7.3), but the library swaps only 16-bit pixels. */
  private orderBytes(): void {
    const { PixelData, _vrMap } = this.image.getElements() as {
      PixelData?: ArrayBuffer[];
      _vrMap?: { PixelData?: string };
    };
    if (_vrMap?.PixelData !== 'OW') return;
    const bits = this.number('BitsAllocated', 8);
    for (const part of PixelData ?? []) {
      const bytes = Buffer.from(part);
      if (bits === 8) bytes.swap16();
      if (bits === 32) bytes.swap32().swap16();
    }
  }
}

/** PS3.3 §C.7.6.3.1.2, YBR_FULL. */
function rgbOf([y, cb, cr]: readonly [number, number, number]): number[] {
  const [b, r] = [cb - 128, cr - 128];
  return [y + 1.402 * r, y - 0.344136 * b - 0.714136 * r, y + 1.772 * b].map((v) =>
    Math.max(0, Math.min(255, Math.round(v))),
  );
}
