import type { CallShape } from '@lightbox/contract/call.js';
import type { ListSource } from '@lightbox/core/db/page.js';
import type { Context, Viewer } from '../context.js';

/** A resource of FHIR, as JSON. */
export interface Resource {
  resourceType: string;
  id: string;
  meta?: { lastUpdated?: string };
  [element: string]: unknown;
}

/** A call for one resource, or for those that a search finds. */
export interface Asking extends Pick<Context<CallShape>, 'gateway' | 'actor' | 'call' | 'req' | 'res'> {
  viewer: Viewer;
}

/** A row of the database with its resource. */
export interface Shown<Doc> {
  doc: Doc;
  resource: Resource;
}

/** The parameters of every read, and of every search. */
export interface FhirRead {
  _format?: string | undefined;
}
export interface FhirSearch extends FhirRead {
  _id?: string[][] | undefined;
  _count?: number | undefined;
  _cursor?: string | undefined;
  _include?: string | undefined;
}

export interface Finder<Doc, Row extends Shown<Doc>, Wanted> {
  /** True when each row of the source is shown, so that the number of rows is the total. */
  exact: boolean;
  /** Returns filter and order of the rows for which somebody asks, among those that they may see. */
  source(asking: Asking, wanted: Wanted): Promise<ListSource<Doc>>;
  /** Presents the rows that the viewer may read. The policy decides, and leaves the others out. */
  show(asking: Asking, docs: Doc[], wanted: Wanted): Promise<Row[]>;
  record(asking: Asking, rows: Row[], how: 'search' | 'read'): Promise<unknown>;
}
