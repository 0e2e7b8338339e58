package dev.rlm.runner.serve;

import dev.rlm.cli.UsageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Addresses that trainers may name: those of this machine, and those at or below the given ones. */
final class AllowedUrls {
    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final String ANY = "//*.";
    private static final String STAND_IN = "//any.";

    private final List<Base> bases;

    /** Those below some addresses, such as {@code https://api.example.com/v1}; a host may begin with {@code *.}. */
    AllowedUrls(List<String> bases) {
        this.bases = bases.stream().map(Base::of).toList();
    }

    private static @Nullable URI parsed(String text) {
        try {
            URI uri = new URI(text);
            boolean plain = uri.getHost() != null && uri.getRawUserInfo() == null && uri.getRawQuery() == null;
            boolean web = SCHEMES.contains(lower(uri.getScheme()));
            boolean straight =
                    !uri.getRawPath().contains("//") && uri.normalize().equals(uri);
            return plain && web && straight && uri.getRawFragment() == null ? uri : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static String lower(@Nullable String text) {
        return String.valueOf(text).toLowerCase(Locale.ROOT);
    }

    /** Returns whether requests may go below that address. */
    boolean allows(String address) {
        URI uri = parsed(address);
        if (uri == null || lower(uri.getRawPath()).contains("%2e")) {
            return false; // its path could lead elsewhere
        }
        boolean here = LOOPBACK.matcher(lower(uri.getHost())).matches();
        return here || bases.stream().anyMatch(base -> base.holds(uri));
    }

    /**
     * One of the given ones.
     *
     * @param anyHost whether what is below its host counts, and the host itself does not
     */
    private record Base(URI uri, boolean anyHost) {
        static Base of(String text) {
            boolean any = text.contains(ANY);
            URI uri = parsed(text.replace(ANY, STAND_IN).replaceFirst("/+$", ""));
            if (uri == null) {
                throw new UsageException("--allow-model-url=" + text + " is not valid: expected an address such as"
                        + " https://api.example.com or https://*.example.com/v1");
            }
            return new Base(uri, any);
        }

        boolean holds(URI other) {
            String host = lower(uri.getHost());
            boolean sameHost = anyHost
                    ? lower(other.getHost()).endsWith(host.substring(host.indexOf('.')))
                    : lower(other.getHost()).equals(host);
            return sameHost
                    && lower(other.getScheme()).equals(lower(uri.getScheme()))
                    && port(other) == port(uri)
                    && (other.getRawPath() + "/").startsWith(uri.getRawPath() + "/");
        }

        private static int port(URI uri) {
            return uri.getPort() >= 0 ? uri.getPort() : lower(uri.getScheme()).equals("https") ? 443 : 80;
        }
    }
}
