package dev.rlm.server.http;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Address at which a server listens.
 *
 * @param option that says the port
 * @param port 0 for any free one
 * @param tls {@code null} for a server without TLS
 */
public record Endpoint(
        InetAddress host, String option, int port, @Nullable Tls tls) {
    /** Returns one for this machine alone, at the port that the option --port says. */
    public static Endpoint local(int port, @Nullable Tls tls) {
        return new Endpoint(InetAddress.getLoopbackAddress(), "--port", port, tls);
    }

    /** Returns the URL of the server, once it has got a port. */
    public String url(int bound) {
        String shown = host.getHostAddress();
        return (tls == null ? "http://" : "https://") + (shown.contains(":") ? "[" + shown + "]" : shown) + ":" + bound;
    }
}
