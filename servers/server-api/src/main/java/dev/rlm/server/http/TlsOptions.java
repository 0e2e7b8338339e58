package dev.rlm.server.http;

import dev.rlm.cli.UsageException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that make a server speak TLS. */
public final class TlsOptions {
    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "Speak TLS, with this certificate and its chain, as PEM.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The certificate's private key, as PEM of PKCS #8.")
    private @Nullable Path key;

    /**
     * Returns what they say; {@code null} for no TLS.
     *
     * @throws UsageException if only one is given, or a file is not valid
     */
    public @Nullable Tls tls() {
        if (certificate == null && key == null) {
            return null;
        } else if (certificate == null || key == null) {
            throw new UsageException("--tls-cert and --tls-key belong together: "
                    + (key == null ? "--tls-key" : "--tls-cert") + " is missing");
        }
        return Tls.of(certificate, key);
    }
}
