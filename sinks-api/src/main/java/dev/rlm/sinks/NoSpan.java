package dev.rlm.sinks;

/** The shared handle of all spans that nobody hears of. */
final class NoSpan extends NoActivity implements Span {
    static final Span INSTANCE = new NoSpan();

    private NoSpan() {}

    @Override
    public Span span(String name) {
        return this;
    }

    @Override
    public Span attribute(String name, Object value) {
        return this;
    }

    @Override
    public void fail(String error) {}

    @Override
    public void fail(Throwable error) {}

    @Override
    public void close() {}
}
