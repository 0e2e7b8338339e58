package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** How an {@link OtlpReceiver} speaks TLS: with which certificate, and whether it wants one too. */
record OtlpTls(TlsFiles server, @Nullable TlsFiles client) {
    SSLContext context() throws IOException {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(server.keyStore(), server.password());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(TrustedCertificate.of(Files.readString((client == null ? server : client).certificate())));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }
}
