/** A set of the newest ids. It drops the oldest beyond its limit, so that a tab open for weeks needs no more memory. */
export class Recent extends Set<string> {
  constructor(private readonly most = 2_000) {
    super();
  }

  override add(id: string): this {
    super.add(id);
    if (this.size > this.most) this.delete(this.values().next().value as string);
    return this;
  }
}
