package dev.rlm.sinks.mlflow.rest;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/** Trust in servers' certificates other than those that Java trusts. */
public final class TrustedCertificates {
    private TrustedCertificates() {}

    /** Returns what trusts all that the certificates in the PEM file have signed, and nothing else. */
    public static X509TrustManager trusting(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (Certificate certificate : certificates(file)) {
            store.setCertificateEntry("server" + store.size(), certificate);
        }
        return trusting(store);
    }

    /** Trusts what the store holds, or what Java trusts where there is none. */
    private static X509TrustManager trusting(@Nullable KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return (X509TrustManager) factory.getTrustManagers()[0];
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException, CertificateException {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> all =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (all.isEmpty()) {
                throw new CertificateException("no certificates");
            }
            return all;
        }
    }

    /** Returns what trusts every server, whatever name it has. */
    public static X509TrustManager trustingAll() {
        return new Everybody();
    }

    /** Has the client trust that, or what Java trusts where there is none, and show what Java shows. */
    static OkHttpClient.Builder secure(OkHttpClient.Builder client, @Nullable X509TrustManager trust) {
        try {
            if (trust == null) {
                return client.sslSocketFactory(SSLContext.getDefault().getSocketFactory(), trusting((KeyStore) null));
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {trust}, null);
            client.sslSocketFactory(context.getSocketFactory(), trust);
            return trust instanceof Everybody ? client.hostnameVerifier((host, session) -> true) : client;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every Java can do it
        }
    }

    /** Extended, since Java itself looks at algorithms where a trust manager is not. */
    private static final class Everybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
