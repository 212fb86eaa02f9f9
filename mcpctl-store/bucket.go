package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azureblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/s3blob"    // s3://
	"gocloud.dev/gcerrors"
	"google.golang.org/api/googleapi"
)

// pageSize is how many names a page of a listing has.
const pageSize = 1000

// buckets are those that were opened.
type buckets struct {
	mu   sync.Mutex
	open map[string]*bucket
}

// bucket is one of them.
type bucket struct {
	*blob.Bucket
	seen atomic.Bool // it was there
}

// there is why it cannot be listed, asked until it once could be: an outage passes, and a bucket may yet be made.
func (b *bucket) there(ctx context.Context) error {
	if b.seen.Load() {
		return nil
	}
	_, _, err := b.ListPage(ctx, blob.FirstPageToken, 1, nil)
	b.seen.Store(err == nil)
	return err
}

func (all *buckets) of(ctx context.Context, name string) (*bucket, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if b := all.open[name]; b != nil {
		return b, nil
	}
	opened, err := blob.OpenBucket(ctx, name+options(name))
	if err != nil {
		return nil, err
	}
	var google *storage.Client
	if opened.As(&google) {
		google.SetRetry(storage.WithPolicy(storage.RetryAlways), storage.WithMaxAttempts(attempts))
	}
	all.open[name] = &bucket{Bucket: opened}
	return all.open[name], nil
}

// attempts are how often Google's library asks for what may be there a moment later. By itself it asks without end, and never again
// for a write without a condition, which is safe to repeat here: the same bytes.
const attempts = 5

// options are what a store at an endpoint of its own needs: such ones have no host for each bucket.
func options(name string) string {
	if strings.HasPrefix(name, "s3://") && os.Getenv("AWS_ENDPOINT_URL_S3")+os.Getenv("AWS_ENDPOINT_URL") != "" {
		return "?use_path_style=true"
	}
	return ""
}

func (all *buckets) answer(ctx context.Context, r request) answer {
	scheme, rest, _ := strings.Cut(r.At, "://")
	name, key, _ := strings.Cut(rest, "/")
	b, err := all.of(ctx, scheme+"://"+name)
	var a answer
	if err == nil {
		a, err = b.do(ctx, r, key)
	}
	if err != nil {
		kind, why := b.fault(ctx, r, err)
		return answer{Kind: kind, Error: inWords(why)}
	}
	return a
}

// inWords is what a store said, without the numbers of requests.
func inWords(err error) string {
	var amazon smithy.APIError
	var azure *azcore.ResponseError
	switch {
	case errors.As(err, &amazon) && amazon.ErrorMessage() != "":
		return amazon.ErrorCode() + ": " + amazon.ErrorMessage()
	case errors.As(err, &azure):
		return fmt.Sprintf("%s (HTTP %d)", azure.ErrorCode, azure.StatusCode)
	}
	return err.Error()
}

func (b *bucket) do(ctx context.Context, r request, key string) (a answer, err error) {
	switch r.Op {
	case "get":
		return b.get(ctx, key)
	case "put":
		return a, b.put(ctx, key, r)
	case "remove":
		return a, b.Delete(ctx, key)
	case "list":
		return b.list(ctx, key, r.After)
	}
	return a, errors.New("mcpctl-store is older than mcpctl: install the same version of both")
}

func (b *bucket) get(ctx context.Context, key string) (a answer, err error) {
	from, err := b.NewReader(ctx, key, nil)
	if err != nil {
		return a, err
	}
	defer from.Close()
	a.body, err = io.ReadAll(from)
	a.Version = versionOf(from)
	if err == nil && a.Version == "" {
		err = errors.New("the store names no version of it, so that nothing could be replaced safely")
	}
	return a, err
}

// versionOf is the version of what is read: an ETag, or the generation that Google counts.
func versionOf(from *blob.Reader) string {
	var amazon s3.GetObjectOutput
	var google *storage.Reader
	var azure azureblob.DownloadStreamResponse
	switch {
	case from.As(&amazon) && amazon.ETag != nil:
		return *amazon.ETag
	case from.As(&google):
		return strconv.FormatInt(google.Attrs.Generation, 10)
	case from.As(&azure) && azure.ETag != nil:
		return string(*azure.ETag)
	}
	return ""
}

// put writes an object. The condition is the store's own, so that nothing comes between. It is not WriteAll, for a write that Azure
// refuses panics there (gocloud.dev v0.47.0, blob/azureblob: Close of a pipe that was set to nil).
func (b *bucket) put(ctx context.Context, key string, r request) error {
	o := &blob.WriterOptions{ContentType: "application/json", IfNotExist: r.If != nil && *r.If == ""}
	o.BeforeWrite = func(as func(any) bool) error {
		giveUp(as)
		if r.If != nil && *r.If != "" {
			return replacing(as, *r.If)
		}
		return nil
	}
	return b.Upload(ctx, key, bytes.NewReader(r.body), o)
}

// giveUp ends what Google's library tries again, which for a write keeps to no number of attempts.
func giveUp(as func(any) bool) {
	var google **storage.ObjectHandle
	if as(&google) {
		again := 0
		*google = (*google).Retryer(storage.WithErrorFunc(func(err error) bool {
			again++
			return again < attempts && storage.ShouldRetry(err)
		}))
	}
}

// replacing lets a write replace one version alone.
func replacing(as func(any) bool, version string) error {
	var amazon *transfermanager.UploadObjectInput
	var google **storage.ObjectHandle
	var azure *azblob.UploadStreamOptions
	switch {
	case as(&amazon):
		amazon.IfMatch = &version
	case as(&google):
		generation, err := strconv.ParseInt(version, 10, 64)
		*google = (*google).If(storage.Conditions{GenerationMatch: generation})
		return err
	case as(&azure):
		tag := azcore.ETag(version)
		azure.AccessConditions = &azblob.AccessConditions{ModifiedAccessConditions: &azureblob.ModifiedAccessConditions{IfMatch: &tag}}
	default:
		return errors.New("this store has no conditional writes")
	}
	return nil
}

// list is a page of the names below a prefix.
func (b *bucket) list(ctx context.Context, prefix, after string) (a answer, err error) {
	token := blob.FirstPageToken
	if after != "" {
		token = []byte(after)
	}
	objects, next, err := b.ListPage(ctx, token, pageSize, &blob.ListOptions{Prefix: prefix})
	for _, o := range objects {
		a.Names = append(a.Names, o.Key)
	}
	a.Next = string(next)
	return a, err
}

// fault is what went wrong, and the error that says it best. Absent is said of an object alone, and only where its bucket is there: of a
// store that cannot be seen into, nothing is known.
func (b *bucket) fault(ctx context.Context, r request, err error) (kind string, why error) {
	if kind = kindOf(err); b == nil || kind != "absent" {
		return kind, err
	}
	switch missing := b.there(ctx); {
	case missing != nil && kindOf(missing) == "absent":
		return "nobucket", missing
	case missing != nil:
		return kindOf(missing), missing
	case r.Op == "put" && r.If != nil && *r.If != "":
		return "changed", err // it was removed
	case r.Op == "put":
		return "failed", err
	}
	return kind, err
}

func kindOf(err error) string {
	var amazon smithy.APIError
	var google *googleapi.Error
	switch code := gcerrors.Code(err); {
	case errors.As(err, &google) && google.Code == http.StatusForbidden, code == gcerrors.PermissionDenied:
		return "denied" // by Google, of whose answer gocloud.dev makes that nothing is there
	case code == gcerrors.FailedPrecondition, errors.As(err, &amazon) && amazon.ErrorCode() == "ConditionalRequestConflict":
		return "changed"
	case code == gcerrors.NotFound:
		return "absent"
	}
	return "failed"
}
