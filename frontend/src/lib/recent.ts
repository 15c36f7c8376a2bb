/** The newest of what was noted. The oldest make room, so a tab that is open for weeks does not fill up. */
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
