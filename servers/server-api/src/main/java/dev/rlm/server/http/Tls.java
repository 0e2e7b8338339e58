package dev.rlm.server.http;

import dev.rlm.cli.UsageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Certificate and private key of a server. */
public final class Tls {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final String PASSWORD = "none"; // of a store in memory, which has to have one

    private final KeyStore store;

    private Tls(KeyStore store) {
        this.store = store;
    }

    /**
     * Reads PEM files.
     *
     * @throws UsageException if they cannot be read, or do not belong together
     */
    static Tls of(Path certificate, Path key) {
        try {
            Certificate[] chain = chain(certificate);
            PrivateKey secret = key(key, chain[0].getPublicKey());
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("server", secret, PASSWORD.toCharArray(), chain);
            return new Tls(store);
        } catch (IOException | GeneralSecurityException e) {
            throw new UsageException("--tls-cert and --tls-key cannot be used: " + e.getMessage(), e);
        }
    }

    private static Certificate[] chain(Path file) throws IOException {
        byte[] pem = read("--tls-cert", file);
        try {
            Certificate[] chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem))
                    .toArray(Certificate[]::new);
            if (chain.length > 0) {
                return chain;
            }
        } catch (GeneralSecurityException e) {
            // told below
        }
        throw new UsageException("--tls-cert=" + file + " is not valid: expected certificates in PEM");
    }

    private static PrivateKey key(Path file, PublicKey its) throws IOException {
        Matcher pem = KEY.matcher(new String(read("--tls-key", file), StandardCharsets.US_ASCII));
        if (!pem.find()) {
            throw new UsageException(
                    "--tls-key=" + file + " is not valid: expected a private key in PEM, PKCS #8 and not"
                            + " encrypted ('BEGIN PRIVATE KEY'), as 'openssl pkcs8 -topk8 -nocrypt' writes it");
        }
        try {
            byte[] bytes = Base64.getMimeDecoder().decode(pem.group(1));
            PrivateKey key = KeyFactory.getInstance(its.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(bytes));
            if (areOne(key, its)) {
                return key;
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // told below
        }
        throw new UsageException("--tls-key=" + file + " is not valid: expected the key of the certificate");
    }

    private static boolean areOne(PrivateKey key, PublicKey its) throws GeneralSecurityException {
        String name = its.getAlgorithm();
        Signature signature = Signature.getInstance(
                name.equals("RSA") ? "SHA256withRSA" : name.equals("EC") ? "SHA256withECDSA" : name);
        signature.initSign(key);
        signature.update((byte) 1);
        byte[] signed = signature.sign();
        signature.initVerify(its);
        signature.update((byte) 1);
        return signature.verify(signed);
    }

    private static byte[] read(String option, Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UsageException(option + "=" + file + " cannot be read: " + e, e);
        }
    }

    SslContextFactory.Server server() {
        SslContextFactory.Server server = new SslContextFactory.Server();
        server.setKeyStore(store);
        server.setKeyStorePassword(PASSWORD);
        server.setSniRequired(false);
        return server;
    }
}
