package dev.rlm.sinks.otel.backend;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A certificate for localhost, or for a client, that vouches for itself: made by the JDK's keytool for one test, in its
 * folder, and good for a day.
 */
public final class TlsFiles {
    private static final String PASSWORD = "changeit";
    private static final String ALIAS = "test";

    private final Path store;
    private final Path certificate;
    private final Path key;

    private TlsFiles(Path folder, String name) {
        store = folder.resolve(name + ".p12");
        certificate = folder.resolve(name + ".crt");
        key = folder.resolve(name + ".key");
    }

    public static TlsFiles make(Path folder, String name) {
        TlsFiles files = new TlsFiles(folder, name);
        try {
            files.keytool(
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-validity",
                    "1",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    "san=ip:127.0.0.1,dns:localhost");
            files.keytool("-exportcert", "-rfc", "-file", files.certificate.toString());
            Key secret = files.keyStore().getKey(ALIAS, PASSWORD.toCharArray());
            Files.writeString(
                    files.key,
                    "-----BEGIN PRIVATE KEY-----\n"
                            + Base64.getMimeEncoder().encodeToString(secret.getEncoded())
                            + "\n-----END PRIVATE KEY-----\n");
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void keytool(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(Arrays.asList(arguments));
        command.addAll(List.of(
                "-alias", ALIAS, "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException(said);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    KeyStore keyStore() throws IOException, GeneralSecurityException {
        KeyStore loaded = KeyStore.getInstance("PKCS12");
        try (InputStream file = new FileInputStream(store.toFile())) {
            loaded.load(file, PASSWORD.toCharArray());
        }
        return loaded;
    }

    char[] password() {
        return PASSWORD.toCharArray();
    }

    /** In PEM. */
    public Path certificate() {
        return certificate;
    }

    /** The private key, in PEM. */
    public Path key() {
        return key;
    }
}
