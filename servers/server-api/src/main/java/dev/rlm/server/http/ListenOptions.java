package dev.rlm.server.http;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.UsageException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say where a server listens. */
public final class ListenOptions {
    @Option(names = "--port", paramLabel = "N", description = "Listen there (${DEFAULT-VALUE}); 0 for a free port.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Listen at that address (127.0.0.1). At one that others can reach a token is asked for.")
    private String host = "127.0.0.1";

    @Mixin
    private final TlsOptions tls = new TlsOptions();

    /** Makes those of a server that listens at that port unless it is told another. */
    public ListenOptions(int port) {
        this.port = port;
    }

    /**
     * Returns what they say.
     *
     * @throws UsageException if that is not valid
     */
    public Endpoint endpoint() {
        Bounds.checkPort("--port", port);
        try {
            return new Endpoint(InetAddress.getByName(host), "--port", port, tls.tls());
        } catch (UnknownHostException e) {
            throw new UsageException("--host=" + host + " is not valid: expected an address of this machine", e);
        }
    }
}
