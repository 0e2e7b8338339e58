/**
 * HTTP for sinks that send: {@link dev.rlm.sinks.delivery.http.HttpTransport} makes requests of OkHttp, which its users
 * need on the class path.
 */
@NullMarked
package dev.rlm.sinks.delivery.http;

import org.jspecify.annotations.NullMarked;
